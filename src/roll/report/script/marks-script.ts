/** A panel shows the mark under pointer or focus. Only one of all marks is a tab stop. */
export const MARKS_SCRIPT = `const detail = document.getElementById('detail')
const idle = detail.textContent
const marks = all('.mark', box)
let kept = null
let current = marks[0]
const tell = (mark) => {
  if (kept) return
  detail.textContent = mark ? mark.getAttribute('aria-label') : idle
  detail.classList.toggle('told', Boolean(mark))
}
const keep = (mark) => {
  if (kept) kept.classList.remove('kept')
  kept = null
  detail.classList.toggle('kept', mark !== null)
  if (mark) { tell(mark); kept = mark; mark.classList.add('kept') }
}
const rove = (mark) => {
  if (!mark) return
  for (let at = mark.parentElement; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true
  current.setAttribute('tabindex', '-1')
  current = mark
  mark.setAttribute('tabindex', '0')
  mark.focus()
}
if (current) current.setAttribute('tabindex', '0')
for (const mark of marks) {
  mark.addEventListener('pointerenter', () => tell(mark))
  mark.addEventListener('pointerleave', () => tell(null))
  mark.addEventListener('focus', () => { chosen = mark; tell(mark) })
  mark.addEventListener('click', () => { const again = kept === mark; keep(null); if (!again) keep(mark); rove(mark) })
}
const rowOf = (mark) => mark.closest('.row')
const inRow = (row) => marks.filter((mark) => rowOf(mark) === row)
const middle = (mark) => { const area = mark.getBoundingClientRect(); return area.left + area.width / 2 }
const nextRow = (step) => {
  const rows = [...new Set(marks.filter((mark) => mark.getClientRects().length > 0).map(rowOf))]
  const row = rows[rows.indexOf(rowOf(current)) + step]
  if (!row) return
  const at = middle(current)
  return inRow(row).reduce((best, mark) => (Math.abs(middle(mark) - at) < Math.abs(middle(best) - at) ? mark : best))
}
const beside = (step) => { const row = inRow(rowOf(current)); return row[row.indexOf(current) + step] }
const failure = (step) => {
  const bad = marks.filter((mark) => mark.dataset.kind === 'failure' || mark.dataset.kind === 'stray')
  const sorted = bad.sort((a, b) => middle(a) - middle(b))
  const at = sorted.indexOf(current)
  if (at >= 0) return sorted[at + step]
  return step > 0 ? sorted.find((mark) => middle(mark) > middle(current)) || sorted[0] : sorted.findLast((mark) => middle(mark) < middle(current)) || sorted.at(-1)
}
const pan = (step) => { box.scrollLeft += step * box.clientWidth * 0.5 }
const DO = { in: () => zoomTo(zoom * 2), out: () => zoomTo(zoom / 2), fit: () => zoomTo(1), before: () => rove(failure(-1)), after: () => rove(failure(1)), save }
const KEYS = {
  ArrowRight: () => rove(beside(1)), ArrowLeft: () => rove(beside(-1)), ArrowDown: () => rove(nextRow(1)), ArrowUp: () => rove(nextRow(-1)),
  Home: () => rove(inRow(rowOf(current))[0]), End: () => rove(inRow(rowOf(current)).at(-1)),
  '[': DO.before, ']': DO.after, '+': DO.in, '-': DO.out, 0: DO.fit, Enter: () => keep(kept === current ? null : current), Escape: () => { keep(null); tell(current) },
}
document.getElementById('timeline').addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !event.target.closest('.mark')) return
  const isPan = event.shiftKey && (event.key === 'ArrowRight' || event.key === 'ArrowLeft')
  const act = isPan ? () => pan(event.key === 'ArrowRight' ? 1 : -1) : KEYS[event.key]
  if (!act) return
  event.preventDefault()
  act()
})
for (const button of all('[data-do]')) button.addEventListener('click', DO[button.dataset.do])
for (const link of all('[data-window]')) {
  link.addEventListener('click', (event) => {
    const mark = marks.find((one) => (one.dataset.windows || '').split(' ').includes(link.dataset.window))
    if (!mark) return
    event.preventDefault()
    document.getElementById('timeline').scrollIntoView()
    rove(mark)
  })
}
`
