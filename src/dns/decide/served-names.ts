import { canonicalDnsName } from '../model/dns.ts'
import { type KubernetesPlugin, kubernetesPlugins, zonesOf } from './corefile.ts'

/** What the kubernetes plugin of a Corefile leaves out of its zone, and what it hands on. */
export interface ServedNames {
  /** Only Services of these have names. Absent: those of all namespaces. */
  readonly namespaces?: readonly string[]
  /** By what the Corefile leaves out some Services, and nobody knows which ones: because they have no endpoint, or by their labels. */
  readonly hides: 'nothing' | 'empty' | 'labels'
  /** A name that the plugin does not know goes to the next plugin. */
  readonly fallsThrough: boolean
}

/** The names that this zone's block of the Corefile serves; undefined if there is no such block. */
export function servedNames(corefile: string, zone: string): ServedNames | undefined {
  const plugin = kubernetesPlugins(corefile).find((one) => servesZone(one, zone))
  return plugin?.lines.reduce<ServedNames>(
    (served, [word = '', ...values]) => withDirective(served, { word, values, zone }),
    { hides: 'nothing', fallsThrough: false },
  )
}

/** Whether Service default/kubernetes, which always has an endpoint, is sure to have a name. */
export const servesApi = ({ namespaces, hides }: ServedNames): boolean =>
  hides !== 'labels' && (namespaces?.includes('default') ?? true)

/** A name that CoreDNS takes from its environment may be that of the zone. */
const servesZone = (plugin: KubernetesPlugin, zone: string): boolean => {
  const zones = zonesOf(plugin)
  const isServed = (one: string): boolean =>
    one === '.' || one.includes('{') || canonicalDnsName(one) === canonicalDnsName(zone)
  return zones.length === 0 || zones.some(isServed)
}

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
      return { ...served, hides: 'labels' }
    case 'ignore':
      return served.hides === 'nothing' && values.includes('empty_service') ? { ...served, hides: 'empty' } : served
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
