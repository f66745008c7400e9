// node browser.mjs NODE_MODULES OUT PAGE...: what a reader's browser makes of a report.
//
// For every page: no console message, no request, every chart an SVG, no accessibility violation in
// light and dark, nothing wider than a phone, a PDF, saving works. Screenshots stay in OUT.
import { strict as assert } from 'node:assert'
import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const [modules, out, ...pages] = process.argv.slice(2)
const require = createRequire(join(resolve(modules), 'x.js'))
const { chromium } = require('playwright-core')
const axe = readFileSync(join(modules, 'axe-core', 'axe.min.js'), 'utf8')

const looks = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1000, height: 1200 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1000, height: 1200 } },
  { name: 'phone', colorScheme: 'light', viewport: { width: 400, height: 800 } },
]

async function open(browser, path, look, options = {}) {
  const context = await browser.newContext({ ...look, ...options, bypassCSP: false })
  const page = await context.newPage()
  const noise = []
  page.on('console', (message) => noise.push(`${message.type()}: ${message.text()}`))
  page.on('pageerror', (error) => noise.push(`error: ${error.message}`))
  page.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url())) noise.push(`request: ${request.url()}`)
  })
  await page.goto(pathToFileURL(resolve(path)).href)
  return { context, page, noise }
}

async function checkLook(browser, path, look, charts) {
  const { context, page, noise } = await open(browser, path, look)
  await page.waitForSelector('body[data-ready]', { timeout: 60000 })
  assert.deepEqual(await page.evaluate('window.pcielatErrors'), [], `${path}: chart errors`)
  const drawn = await page.evaluate(
    "document.querySelectorAll('.chart svg.marks, .chart svg').length"
  )
  assert.equal(drawn, charts, `${path}: charts drawn as SVG`)
  const wide = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')
  assert.ok(wide <= 0, `${path} ${look.name}: ${wide} px wider than the window`)
  const name = `${basename(dirname(path))}-${look.name}.png`
  await page.screenshot({ path: join(out, name), fullPage: true })
  assert.deepEqual(noise, [], `${path} ${look.name}`)
  await context.close()
}

// The policy forbids foreign scripts, so axe gets a context that may add one.
async function checkAxe(browser, path, look) {
  const context = await browser.newContext({ ...look, bypassCSP: true })
  const page = await context.newPage()
  await page.goto(pathToFileURL(resolve(path)).href)
  await page.waitForSelector('body[data-ready]', { timeout: 60000 })
  await page.addScriptTag({ content: axe })
  const violations = await page.evaluate(
    "axe.run().then((r) => r.violations.map((v) => v.id + ': ' + v.nodes[0].html.slice(0, 200)))"
  )
  assert.deepEqual(violations, [], `${path} ${look.name}: accessibility`)
  await context.close()
}

async function checkSaving(browser, path) {
  const { context, page } = await open(browser, path, looks[0])
  await page.waitForSelector('body[data-ready]')
  for (const kind of ['SVG', 'PNG']) {
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('.save button', { hasText: kind }).first().click(),
    ])
    const name = saved.suggestedFilename()
    assert.match(name, new RegExp(`^pcielat-.+\\.${kind.toLowerCase()}$`))
    const data = readFileSync(await saved.path())
    if (kind === 'SVG') assert.match(data.toString(), /^<svg[^]*<rect[^>]*fill="white"/)
    else assert.equal(data.subarray(1, 4).toString(), 'PNG')
    await saved.saveAs(join(out, name))
  }
  const [record] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('#save-record button').click(),
  ])
  JSON.parse(readFileSync(await record.path(), 'utf8'))
  await context.close()
}

async function checkPrint(browser, path) {
  const { context, page } = await open(browser, path, looks[1])
  await page.waitForSelector('body[data-ready]')
  const file = join(out, `${basename(dirname(path))}.pdf`)
  await page.pdf({ path: file, format: 'A4' })
  assert.ok(statSync(file).size > 20000, 'a PDF with content')
  await context.close()
}

// Without scripts everything but the charts is still there.
async function checkStatic(browser, path) {
  const { context, page } = await open(browser, path, looks[0], { javaScriptEnabled: false })
  assert.ok((await page.locator('table').count()) >= 5)
  assert.ok((await page.locator('svg.map').count()) <= 1)
  assert.match(await page.locator('noscript').first().innerText(), /.+/)
  await context.close()
}

async function main() {
  mkdirSync(out, { recursive: true })
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  })
  for (const path of pages) {
    const text = readFileSync(path, 'utf8')
    const charts = [...text.matchAll(/<div class="chart"/g)].length
    for (const look of looks) await checkLook(browser, path, look, charts)
    await checkAxe(browser, path, looks[0])
    await checkAxe(browser, path, looks[1])
    if (charts) await checkSaving(browser, path)
    await checkPrint(browser, path)
    await checkStatic(browser, path)
    console.log(`${path}: ${charts} charts, clean in light, dark and on a phone`)
  }
  await browser.close()
}

await main()
