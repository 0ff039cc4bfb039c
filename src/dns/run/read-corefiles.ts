import { present } from '../../ground/model/present.ts'
import { kubernetesPlugins, zoneOfCorefile } from '../decide/corefile.ts'
import type { PodResolver } from '../decide/pod-resolver.ts'
import type { DnsPod, DnsService } from '../model/dns-objects.ts'
import type { DnsObjects } from '../ports/dns-objects.ts'
import { orNote } from './or-note.ts'

const DEFAULT_ZONE = 'cluster.local'

interface CorefileParts {
  readonly objects: DnsObjects
  readonly service: DnsService
  readonly pods: readonly DnsPod[]
}

export interface Corefiles {
  /** Texts of ConfigMaps that the pods mount, which may be Corefiles. */
  readonly texts: readonly { readonly of: string; readonly text: string }[]
  readonly note?: string
}

export async function corefilesOf({ objects, service, pods }: CorefileParts, signal: AbortSignal): Promise<Corefiles> {
  const { namespace } = service
  const texts: Corefiles['texts'][number][] = []
  let refused: string | undefined
  for (const name of new Set(pods.flatMap(({ configMaps }) => configMaps))) {
    const of = `ConfigMap ${namespace}/${name}`
    const { value, note } = await orNote(of, () => objects.configMap({ namespace, name }, signal))
    refused ??= note
    texts.push(...Object.values(value ?? {}).map((text) => ({ of, text })))
    // What else they mount need not be read, and there may be no right to it.
    if (isKnown({ texts })) break
  }
  return { texts, ...present({ note: refused }) }
}

/** One that could not be read may be that of the zone. */
export const isUnread = (corefiles: Corefiles): boolean => corefiles.note !== undefined && !isKnown(corefiles)

/** One of them has the plugin that serves the zone. */
const isKnown = ({ texts }: Corefiles): boolean => texts.some(({ text }) => kubernetesPlugins(text).length > 0)

interface FoundZone {
  readonly name: string
  readonly why: string
  readonly isAssumed: boolean
  readonly note?: string
}

export function zoneOf(
  { texts, note: refused }: Corefiles,
  sought: { readonly zone?: string },
  resolver: PodResolver,
): FoundZone {
  if (sought.zone !== undefined) return { name: sought.zone, why: 'you named it', isAssumed: false }
  const note = refused === undefined ? {} : { note: refused }
  if (resolver.zone !== undefined) return { name: resolver.zone, why: 'pods search it', isAssumed: false, ...note }
  for (const { of, text } of texts) {
    const name = zoneOfCorefile(text)
    if (name !== undefined) return { name, why: `the Corefile of ${of} says so`, isAssumed: false }
  }
  const why = 'assumed, because no readable Corefile or kubelet configuration names it'
  return { name: DEFAULT_ZONE, why, isAssumed: true, ...note }
}
