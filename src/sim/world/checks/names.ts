const PART = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/

/** `evenkeel.dev/record`, `app`: keys of labels, taints and annotations (apimachinery, validation.go, IsQualifiedName). */
export function isQualifiedName(text: string): boolean {
  const [first = '', second, ...more] = text.split('/')
  if (more.length > 0) return false
  const name = second ?? first
  const isPrefixed = second === undefined || isSubdomain(first)
  return isPrefixed && name.length <= 63 && PART.test(name)
}

export const isLabelValue = (text: string): boolean => text === '' || (text.length <= 63 && PART.test(text))

/** RFC 1123, "label". */
export const isDnsLabel = (text: string): boolean => text.length <= 63 && LABEL.test(text)

/** RFC 1123, "subdomain": what the API lets an object of most kinds be called. */
export const isSubdomain = (text: string): boolean => text.length <= 253 && SUBDOMAIN.test(text)
