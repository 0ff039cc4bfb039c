const NAME = /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/
const DNS_SUBDOMAIN = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/
const NAME_RULE = 'at most 63 letters, digits, "-", "_" and ".", begins and ends with a letter or digit'

export const isDnsSubdomain = (text: string): boolean => text.length <= 253 && DNS_SUBDOMAIN.test(text)

/** What is wrong with a label key, as the API server would judge it (apimachinery IsQualifiedName). */
export function labelKeyFault(key: string): string | undefined {
  const slash = key.indexOf('/')
  const prefix = slash === -1 ? undefined : key.slice(0, slash)
  if (prefix !== undefined && !isDnsSubdomain(prefix)) return 'the part before "/" is a DNS name in lower case'
  return isName(key.slice(slash + 1)) ? undefined : NAME_RULE
}

/** What is wrong with a label value (apimachinery IsValidLabelValue); empty is right. */
export const labelValueFault = (value: string): string | undefined =>
  value === '' || isName(value) ? undefined : NAME_RULE

const isName = (text: string): boolean => text.length <= 63 && NAME.test(text)
