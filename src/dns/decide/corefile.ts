import { canonicalDnsName, isDnsName } from '../model/dns.ts'

/** A plugin of a Corefile, where it stands after the keys of its server block. */
interface Plugin {
  /** What follows its name. */
  readonly words: readonly string[]
  readonly serverZones: readonly string[]
  /** Its directives, word by word. */
  readonly lines: readonly (readonly string[])[]
}

/** A plugin `kubernetes` of a Corefile. */
export interface KubernetesPlugin {
  /** Its zones as they are written; a variable that CoreDNS fills in is no name. */
  readonly zones: readonly string[]
  /** The zones of its server block, which it serves where it names none. */
  readonly serverZones: readonly string[]
  /** Its directives, word by word. */
  readonly lines: readonly (readonly string[])[]
}

/** Each line of a Corefile in words, as Caddy's lexer reads them: quotes go, a comment begins where a word could. Empty lines too. */
export const wordsOfCorefile = (text: string): readonly (readonly string[])[] =>
  text.split('\n').map((line) => {
    const words: string[] = []
    for (const [word, quoted] of line.matchAll(/"((?:[^"\\]|\\.)*)"|\S+/g)) {
      if (word.startsWith('#')) break
      words.push(quoted ?? word)
    }
    return words
  })

/** kubernetai is the same plugin for several clusters, a block each. */
export const kubernetesPlugins = (text: string): readonly KubernetesPlugin[] =>
  pluginsOf(text, ['kubernetes', 'kubernetai']).map(({ words: zones, ...rest }) => ({ zones, ...rest }))

/** Whether it asks other servers for names of all zones. A snippet (`(name)`) is imported by some server block. */
export const forwardsAll = (text: string): boolean =>
  pluginsOf(text, ['forward']).some(
    ({ words: [from], serverZones }) =>
      from === '.' && serverZones.some((zone) => zone === '.' || zone.startsWith('(')),
  )

function pluginsOf(text: string, names: readonly string[]): readonly Plugin[] {
  const isOne = (word = ''): boolean => names.includes(word)
  const found: Plugin[] = []
  const open: { readonly words: readonly string[]; readonly lines: string[][] }[] = []
  const close = (): void => {
    const block = open.pop()
    if (block !== undefined && isOne(block.words[0])) found.push(pluginOf(block, open[0]?.words))
  }
  for (const words of wordsOfCorefile(text)) {
    const [first] = words
    if (first === undefined) continue
    if (first === '}') close()
    else if (words.at(-1) === '{') open.push({ words: words.slice(0, -1), lines: [] })
    else if (isOne(first) && !isOne(open.at(-1)?.words[0])) found.push(pluginOf({ words, lines: [] }, open[0]?.words))
    else open.at(-1)?.lines.push([...words])
  }
  while (open.length > 0) close()
  return found
}

const pluginOf = (
  { words: [, ...words], lines }: { readonly words: readonly string[]; readonly lines: readonly (readonly string[])[] },
  keys: readonly string[] = [],
): Plugin => ({ words, serverZones: keys.map(zoneOfKey), lines })

/** `dns://cluster.local:53,` → `cluster.local`. */
const zoneOfKey = (key: string): string =>
  key
    .replace(/^[a-z]+:\/\//, '')
    .replace(/,$/, '')
    .replace(/:\d+$/, '')

/**
 * The zone of this cluster: the first one that is a name, and neither a reverse zone nor one of several clusters. What is read from an API
 * by its address may be the zone of another cluster, so it counts only where there is no other.
 */
export function zoneOfCorefile(text: string): string | undefined {
  const plugins = kubernetesPlugins(text)
  const isByAddress = ({ lines }: KubernetesPlugin): boolean => lines.some(([word = '']) => BY_ADDRESS.has(word))
  const inOrder = [...plugins.filter((plugin) => !isByAddress(plugin)), ...plugins.filter(isByAddress)]
  const zone = inOrder.map(clusterZone).find((one) => one !== undefined)
  return zone?.replace(/\.$/, '')
}

function clusterZone(plugin: KubernetesPlugin): string | undefined {
  const ofSeveral = plugin.lines.flatMap(([word, ...zones]) => (word === 'multicluster' ? zones : []))
  const shared = new Set(ofSeveral.map(canonicalDnsName))
  return zonesOf(plugin).find((one) => isClusterZone(one) && !shared.has(canonicalDnsName(one)))
}

export const zonesOf = ({ zones, serverZones }: KubernetesPlugin): readonly string[] =>
  zones.length > 0 ? zones : serverZones

const BY_ADDRESS: ReadonlySet<string> = new Set(['endpoint', 'kubeconfig'])

const isClusterZone = (zone: string): boolean =>
  zone !== '.' && isDnsName(zone) && !/\.arpa\.?$/.test(zone) && !zone.includes('/')
