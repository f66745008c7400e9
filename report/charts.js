// Draws what the page carries: specs and data were written by pcielat, this only starts Vega.
(function () {
  'use strict'
  const text = (id) => document.getElementById(id).textContent
  const read = (id) => JSON.parse(text(id))
  const charts = read('pcielat-charts')
  const board = document.body.dataset.board
  const words = document.body.dataset
  const errors = (window.pcielatErrors = [])
  const views = (window.pcielatViews = {})

  // Base64 of gzip, as pcielat wrote it.
  async function unpack(id) {
    const bytes = Uint8Array.from(atob(text(id)), (c) => c.charCodeAt(0))
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
    return new Response(stream).text()
  }

  // Runs because the policy names its hash; it adds vega and vegaEmbed.
  async function loadLibrary() {
    const script = document.createElement('script')
    script.textContent = await unpack('pcielat-library')
    document.body.append(script)
  }

  function download(name, url) {
    const link = document.createElement('a')
    link.href = url
    link.download = name
    document.body.append(link)
    link.click()
    link.remove()
  }

  function blobUrl(data, type) {
    return URL.createObjectURL(new Blob([data], { type }))
  }

  // An image leaves the page, so it takes a white ground along.
  async function save(id, kind) {
    const view = views[id]
    const name = `pcielat-${board}-${id}.${kind}`
    view.background('white')
    await view.runAsync()
    if (kind === 'svg') download(name, blobUrl(await view.toSVG(), 'image/svg+xml'))
    else download(name, await view.toImageURL('png', 2))
    view.background(null)
    await view.runAsync()
  }

  function button(title, label, action) {
    const element = document.createElement('button')
    element.type = 'button'
    element.textContent = title
    element.setAttribute('aria-label', label)
    element.addEventListener('click', action)
    return element
  }

  function addButtons(id, holder) {
    const bar = document.createElement('p')
    bar.className = 'save'
    for (const kind of ['svg', 'png']) {
      const title = `${words.save} ${kind.toUpperCase()}`
      bar.append(
        button(title, `${title}: ${id}`, () =>
          save(id, kind).catch((error) => errors.push(`${id}: ${error.message}`))
        )
      )
    }
    holder.parentElement.after(bar)
  }

  async function draw(id) {
    const holder = document.getElementById(`c-${id}`)
    const result = await vegaEmbed(holder, charts.specs[id], {
      mode: 'vega-lite',
      renderer: 'svg',
      ast: true, // expressions are interpreted: the policy forbids eval
      config: charts.config,
      defaultStyle: false,
      actions: false,
    })
    views[id] = result.view
    addButtons(id, holder)
  }

  function copyButtons() {
    for (const holder of document.querySelectorAll('[data-copies]')) {
      const copied = text(holder.dataset.copies)
      const copy = button(words.copy, `${words.copy}: ${holder.dataset.copies}`, async () => {
        await navigator.clipboard.writeText(copied)
        copy.textContent = words.copied
      })
      holder.append(copy)
    }
  }

  function recordButton() {
    const holder = document.getElementById('save-record')
    holder.append(
      button(`${words.save} JSON`, `${words.save} JSON: results.json`, async () =>
        download(
          `pcielat-${board}.json`,
          blobUrl(await unpack('pcielat-result-gz'), 'application/json')
        )
      )
    )
  }

  copyButtons()
  recordButton()
  loadLibrary()
    .then(() =>
      Promise.all(
        Object.keys(charts.specs).map((id) =>
          draw(id).catch((error) => errors.push(`${id}: ${error.message}`))
        )
      )
    )
    .catch((error) => errors.push(error.message))
    .then(() => (document.body.dataset.ready = String(errors.length)))
})()
