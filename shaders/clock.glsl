// The clocks of VK_KHR_shader_clock. The device clock runs at a constant rate but in steps of 10 to
// 40 ns on some GPUs; the subgroup clock counts core cycles, on RDNA in 20 bits (push.clock_mask).
// Define PL_LOAD_SUBGROUP and PL_GAP_SUBGROUP to take the subgroup clock for loads and for gaps.
#if defined(PL_LOAD_SUBGROUP) || defined(PL_GAP_SUBGROUP)
#extension GL_ARB_shader_clock : require
#endif
#if !defined(PL_LOAD_SUBGROUP) || !defined(PL_GAP_SUBGROUP)
#extension GL_EXT_shader_realtime_clock : require
#endif

#ifdef PL_LOAD_SUBGROUP
#define PL_LOAD_CLOCK() clock2x32ARB().x
#else
#define PL_LOAD_CLOCK() clockRealtime2x32EXT().x
#endif
#ifdef PL_GAP_SUBGROUP
#define PL_GAP_CLOCK() clock2x32ARB().x
#else
#define PL_GAP_CLOCK() clockRealtime2x32EXT().x
#endif
