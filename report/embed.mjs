// node embed.mjs NODE_MODULES OWN.js OUT_DIR: what a report with charts carries.
//
// Writes OUT_DIR/{1.js,2.js} (the scripts as they are inlined, the first packed), notices.txt (the
// licence texts of everything inside them) and scripts.inc (C: name, file, hash for the page's
// policy, whether the file is packed).
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

const [modules, own, out] = process.argv.slice(2)
const others = `topojson-client delaunator robust-predicates internmap fast-json-patch
  json-stringify-pretty-compact semver tslib`.split(/\s+/)
const isBundled = (name) => /^(vega$|vega-|d3-)/.test(name) || others.includes(name)
const bundles = ['vega', 'vega-lite', 'vega-embed']

const manifest = (name) => JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8'))

// A script must not end its own element, and must not ask for a source map.
const inert = (text) =>
  text.replace(/<\/script/gi, '<\\/script').replace(/\n?\/\/# sourceMappingURL=.*$/m, '')

// The libraries travel as one packed block (a third of the size); what starts them is plain.
const library = {
  name: bundles.map((name) => `${name} ${manifest(name).version}`).join(', '),
  text: bundles
    .map((name) => readFileSync(join(modules, name, 'build', `${name}.min.js`), 'utf8'))
    .map((text) => inert(text).trim())
    .join('\n;\n'),
  isPacked: true,
}
const scripts = [library, { name: 'pcielat', text: inert(readFileSync(own, 'utf8')) }]

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
const lines = scripts.map(({ name, text, isPacked }, index) => {
  const file = join(out, `${index + 1}.js`)
  const hash = createHash('sha256').update(text).digest('base64')
  writeFileSync(file, isPacked ? gzipSync(text, { level: 9 }).toString('base64') : text)
  return `SCRIPT(${index + 1}, "${name}", "${file}", "sha256-${hash}", ${isPacked ? 1 : 0})\n`
})
writeFileSync(join(out, 'notices.txt'), notices())
writeFileSync(join(out, 'scripts.inc'), lines.join(''))
