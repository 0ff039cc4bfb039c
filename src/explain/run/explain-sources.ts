import type { DnsObjects } from '../../dns/ports/dns-objects.ts'
import type { ServiceConditions } from '../../dns/ports/service-conditions.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Cluster } from '../../ground/ports/cluster.ts'
import type { ConfigMaps } from '../../ground/ports/config-maps.ts'
import type { Objects } from '../../ground/ports/objects.ts'
import type { RunScene } from '../decide/node-scene.ts'
import type { Drain } from '../decide/pod-scene.ts'
import type { ExplainReader } from '../ports/explain-reader.ts'
import type { Unknowns } from './unknowns.ts'

/** All that one explanation reads. Nothing is written. */
export interface ExplainSources {
  readonly cluster: Pick<Cluster, 'list' | 'readLease' | 'evict' | 'forbidden' | 'identity'>
  readonly objects: Pick<Objects, 'list'>
  readonly configMaps: Pick<ConfigMaps, 'read'>
  readonly reader: ExplainReader
  readonly dnsObjects: Pick<DnsObjects, 'services' | 'pods' | 'endpoints'>
  readonly conditions: Pick<ServiceConditions, 'read'>
  readonly clock: Clock
  /** Reads the journal of the named run, or of the newest run if no run is named. Undefined: no run of this cluster is on this machine. */
  readonly runHere: (
    of: { readonly node: string; readonly run?: string },
    signal: AbortSignal,
  ) => Promise<RunHere | undefined>
}

/** A run whose journal is on this machine, as far as it concerns one node, and the settings of its drain. */
export interface RunHere {
  readonly scene: RunScene
  readonly drain?: Drain
}

/** Where the objects that all runs share are, and whether evictions are tried. */
export interface ExplainOptions {
  readonly slotsNamespace: string
  readonly grantsNamespace: string
  readonly dryRun: boolean
}

/** One round of reads, with what could not be read. */
export interface ExplainPass {
  readonly sources: ExplainSources
  readonly options: ExplainOptions
  readonly unknowns: Unknowns
  readonly signal: AbortSignal
}
