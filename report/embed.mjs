// node embed.mjs NODE_MODULES OWN.js OUT_DIR: what a report with charts carries.
//
// Writes OUT_DIR/{1.js,2.js,…} (the scripts as they are inlined), notices.txt (the licence texts
// of everything inside them) and scripts.inc (C: name, file, hash for the page's policy).
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [modules, own, out] = process.argv.slice(2)
const others = `topojson-client delaunator robust-predicates internmap fast-json-patch
  json-stringify-pretty-compact semver tslib`.split(/\s+/)
const isBundled = (name) => /^(vega$|vega-|d3-)/.test(name) || others.includes(name)
const bundles = ['vega', 'vega-lite', 'vega-embed']

const manifest = (name) => JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8'))

// A script must not end its own element, and must not ask for a source map.
const inert = (text) =>
  text.replace(/<\/script/gi, '<\\/script').replace(/\n?\/\/# sourceMappingURL=.*$/m, '')

const scripts = bundles.map((name) => ({
  name: `${name} ${manifest(name).version}`,
  text: inert(readFileSync(join(modules, name, 'build', `${name}.min.js`), 'utf8')),
}))
scripts.push({ name: 'pcielat', text: inert(readFileSync(own, 'utf8')) })

function notices() {
  const byText = new Map()
  for (const name of readdirSync(modules).filter(isBundled).sort()) {
    const file = readdirSync(join(modules, name)).find((entry) => /^licen[cs]e/i.test(entry))
    if (!file) throw new Error(`${name} has no licence text`)
    const text = readFileSync(join(modules, name, file), 'utf8').trim()
    byText.set(text, [...(byText.get(text) ?? []), `${name} ${manifest(name).version}`])
  }
  return [...byText].map(([text, names]) => `${names.join(', ')}\n\n${text}\n`).join('\n\n')
}

mkdirSync(out, { recursive: true })
const lines = scripts.map(({ name, text }, index) => {
  const file = join(out, `${index + 1}.js`)
  const hash = createHash('sha256').update(text).digest('base64')
  writeFileSync(file, text)
  return `SCRIPT(${index + 1}, "${name}", "${file}", "sha256-${hash}")\n`
})
writeFileSync(join(out, 'notices.txt'), notices())
writeFileSync(join(out, 'scripts.inc'), lines.join(''))
