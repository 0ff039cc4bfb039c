import { canonicalDnsName } from '../model/dns.ts'

/** What the kubernetes plugin of a Corefile leaves out of its zone, and what it hands on. */
export interface ServedNames {
  /** Only Services of these have names. Absent: those of all namespaces. */
  readonly namespaces?: readonly string[]
  /** The Corefile leaves out some Services by labels or endpoints, and nobody knows which ones. */
  readonly hidesSome: boolean
  /** A name that the plugin does not know goes to the next plugin. */
  readonly fallsThrough: boolean
}

/** The names that this zone's block of the Corefile serves; undefined if there is no such block. */
export function servedNames(corefile: string, zone: string): ServedNames | undefined {
  let served: ServedNames | undefined
  for (const line of corefile.split('\n')) {
    const [word = '', ...rest] = line.replace(/#.*/, '').trim().split(/\s+/)
    const values = rest.filter((value) => value !== '{')
    if (served !== undefined) {
      if (word === '}') return served
      served = withDirective(served, { word, values, zone })
    } else if (word === 'kubernetes' && servesZone(values, zone)) {
      served = { hidesSome: false, fallsThrough: false }
      if (rest.at(-1) !== '{') return served
    }
  }
  return served
}

/** Without zones, the plugin serves the zones of its server block. */
const servesZone = (zones: readonly string[], zone: string): boolean =>
  zones.length === 0 || zones.some((one) => canonicalDnsName(one) === canonicalDnsName(zone))

interface Directive {
  readonly word: string
  readonly values: readonly string[]
  readonly zone: string
}

function withDirective(served: ServedNames, { word, values, zone }: Directive): ServedNames {
  switch (word) {
    case 'namespaces':
      return { ...served, namespaces: [...(served.namespaces ?? []), ...values] }
    case 'labels':
    case 'namespace_labels':
      return { ...served, hidesSome: true }
    case 'ignore':
      return { ...served, hidesSome: served.hidesSome || values.includes('empty_service') }
    case 'fallthrough':
      return { ...served, fallsThrough: values.length === 0 || values.some((within) => isIn(zone, within)) }
    default:
      return served
  }
}

/** Names of Services of the zone are in the other one. */
function isIn(zone: string, other: string): boolean {
  const [inner, outer] = [canonicalDnsName(`default.svc.${zone}`), canonicalDnsName(other)]
  return outer === '' || inner === outer || inner.endsWith(`.${outer}`)
}
