/** A value of the file for an error text: `"30"`, `a list`. Long texts are cut. */
export function shownValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'a section'
  const text = String(value)
  return `"${text.length > 60 ? `${text.slice(0, 57)}...` : text}"`
}

/** A value as it is written in the file, on one line. */
export function writtenValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writtenValue).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(([name, inner]) => `${name}: ${writtenValue(inner)}`)
    return `{${fields.join(', ')}}`
  }
  return typeof value === 'string' ? writtenText(value) : String(value)
}

/** Quoted only where YAML would otherwise read something else. */
const writtenText = (text: string): string =>
  /^[A-Za-z0-9/][A-Za-z0-9 ._/:=?-]*$/.test(text) && !/: |:$|^(true|false|null|[0-9.]+)$/.test(text)
    ? text
    : JSON.stringify(text)

/** `a list`, `an argument`, `true or false`. */
export function withArticle(title: string): string {
  if (title === 'true or false' || title === 'text') return title
  return `${/^[aeio]/i.test(title) ? 'an' : 'a'} ${title}`
}
