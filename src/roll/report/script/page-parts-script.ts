/** Controls appear, details fold, colours can be chosen, the data can be saved. */
export const PAGE_PARTS_SCRIPT = `const all = (selector, within) => Array.from((within || document).querySelectorAll(selector))
for (const part of all('.script-only')) part.hidden = false
for (const details of all('details')) details.open = false
const unfold = () => {
  const aim = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null
  for (let at = aim; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true
}
addEventListener('hashchange', unfold)
unfold()
addEventListener('beforeprint', () => { for (const details of all('details')) details.open = true })
for (const choice of all('input[name=theme]')) {
  choice.addEventListener('change', () => {
    if (choice.value === '') document.documentElement.removeAttribute('data-theme')
    else document.documentElement.setAttribute('data-theme', choice.value)
  })
}
const save = () => {
  const data = document.getElementById('data').textContent
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([data], { type: 'application/json' }))
  link.download = 'evenkeel-' + JSON.parse(data).run + '.json'
  link.click()
}
`
