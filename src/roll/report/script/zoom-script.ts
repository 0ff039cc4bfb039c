/** Zoom makes the drawing wider: every place in it is a percentage. The span in view goes into the address. */
export const ZOOM_SCRIPT = `const box = document.getElementById('drawing')
const sheet = box.firstElementChild
const view = document.querySelector('.overview .view')
const bars = all('.bar', box)
let zoom = 1
const edges = () => {
  const bar = bars[0].getBoundingClientRect()
  const port = box.getBoundingClientRect()
  const named = getComputedStyle(bars[0].parentElement).gridTemplateColumns.split(' ').length > 2 ? bars[0].parentElement.firstElementChild.offsetWidth : 0
  const from = Math.max(0, (port.left + named - bar.left) / bar.width)
  return [from, Math.min(1, (port.right - bar.left) / bar.width), named]
}
const axes = all('.row.axis .bar', box)
const whole = axes.map((axis) => Array.from(axis.childNodes))
const two = (n) => String(n).padStart(2, '0')
const elapsed = (ms, fine) => {
  const s = Math.floor(ms / 1000)
  const clock = s < 3600 ? Math.floor(s / 60) + ':' + two(s % 60) : Math.floor(s / 3600) + ':' + two(Math.floor(s / 60) % 60) + ':' + two(s % 60)
  return fine ? clock + '.' + String(Math.round(ms % 1000)).padStart(3, '0') : clock
}
const STEPS = [10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5, 36e5]
const drawTicks = (from, to) => {
  const start = Number(sheet.dataset.from)
  const ms = Number(sheet.dataset.ms)
  const step = STEPS.find((one) => ((to - from) * ms) / one <= 8)
  axes.forEach((axis, which) => {
    if (zoom === 1 || !step) { axis.replaceChildren(...whole[which]); return }
    const ticks = []
    for (let at = Math.ceil((from * ms) / step) * step; at <= to * ms; at += step) {
      const x = (at / ms) * 100 + '%'
      const line = whole[which].find((one) => one.tagName === 'line').cloneNode()
      line.setAttribute('x1', x)
      line.setAttribute('x2', x)
      const text = whole[which].find((one) => one.tagName === 'text').cloneNode()
      text.setAttribute('x', x)
      text.setAttribute('text-anchor', 'middle')
      text.textContent = which === 0 ? elapsed(at, step < 1000) : new Date(start + at).toISOString().slice(11, step < 1000 ? 23 : 19)
      ticks.push(line, text)
    }
    axis.replaceChildren(...ticks)
  })
}
const show = () => {
  const [from, to] = edges()
  drawTicks(from, to)
  view.setAttribute('x', from * 100 + '%')
  view.setAttribute('width', Math.max(0.2, (to - from) * 100) + '%')
}
const fitLabels = () => {
  const width = bars[0].getBoundingClientRect().width
  const span = Number(sheet.dataset.ms)
  for (const label of all('[data-px]', box)) {
    if ((Number(label.dataset.ms) / span) * width < Number(label.dataset.px)) label.setAttribute('display', 'none')
    else label.removeAttribute('display')
  }
  for (const wide of all('[data-wide]', box)) {
    const real = wide.parentElement.querySelector('rect:not([data-wide])')
    const isTrue = real && real.getBoundingClientRect().width >= Number(wide.getAttribute('width'))
    if (isTrue) wide.setAttribute('display', 'none')
    else wide.removeAttribute('display')
  }
}
const remember = () => {
  const [from, to] = edges()
  if (zoom > 1) history.replaceState(null, '', '#span=' + from.toFixed(4) + '-' + to.toFixed(4))
  else if (location.hash.startsWith('#span=')) history.replaceState(null, '', location.pathname + location.search)
}
let chosen = null
const aim = () => {
  if (!chosen) return undefined
  const area = chosen.getBoundingClientRect()
  const bar = bars[0].getBoundingClientRect()
  return (area.left + Math.min(area.width, 40) / 2 - bar.left) / bar.width
}
const zoomTo = (wanted, middle) => {
  const [from, to] = edges()
  const at = middle === undefined ? aim() ?? (from + to) / 2 : middle
  zoom = Math.min(200, Math.max(1, wanted))
  sheet.classList.toggle('zoomed', zoom > 1)
  sheet.style.width = zoom === 1 ? '' : zoom * 100 + '%'
  const [, , named] = edges()
  const bar = bars[0].getBoundingClientRect()
  box.scrollLeft = at * bar.width - (box.clientWidth - named) / 2
  fitLabels()
  show()
  remember()
}
box.addEventListener('scroll', show, { passive: true })
box.addEventListener('scrollend', remember)
addEventListener('resize', () => { fitLabels(); show() })
box.addEventListener('wheel', (event) => {
  if (!event.ctrlKey) return
  event.preventDefault()
  const bar = bars[0].getBoundingClientRect()
  zoomTo(zoom * (event.deltaY < 0 ? 1.25 : 0.8), (event.clientX - bar.left) / bar.width)
}, { passive: false })
const overview = document.querySelector('.overview')
const goTo = (event) => {
  const own = getComputedStyle(overview)
  const area = overview.getBoundingClientRect()
  const left = area.left + parseFloat(own.paddingLeft)
  const width = area.width - parseFloat(own.paddingLeft) - parseFloat(own.paddingRight)
  const [, , named] = edges()
  box.scrollLeft = ((event.clientX - left) / width) * bars[0].getBoundingClientRect().width - (box.clientWidth - named) / 2
}
overview.addEventListener('pointerdown', (event) => { overview.setPointerCapture(event.pointerId); goTo(event) })
overview.addEventListener('pointermove', (event) => { if (event.buttons === 1) goTo(event) })
const asked = /^#span=([0-9.]+)-([0-9.]+)$/.exec(location.hash)
if (asked && Number(asked[2]) > Number(asked[1])) zoomTo(1 / (Number(asked[2]) - Number(asked[1])), (Number(asked[1]) + Number(asked[2])) / 2)
fitLabels()
show()
`
