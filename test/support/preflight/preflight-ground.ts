import { stringify } from 'yaml'
import { wallMs } from '../../../src/ground/model/time.ts'
import type { Cluster } from '../../../src/ground/ports/cluster.ts'
import type { RollPlan } from '../../../src/roll/model/roll-plan.ts'
import type { RollSpec } from '../../../src/roll/model/roll-spec.ts'
import { prepare } from '../../../src/roll/run/prepare.ts'
import type { BalancerReader } from '../../../src/service/ports/balancer.ts'
import type { SaidByExplain } from '../explain/ask-explain.ts'
import type { RawApi } from '../raw-api.ts'
import { type ApiManifest, type BadSituation, collectionOf } from './bad-situation.ts'
import { bootOf, nodes } from './manifests.ts'
import { inspection } from './servers.ts'

/** A cluster that situations are brought about on. */
export interface PreflightGround {
  readonly isReal: boolean
  /** Makes an empty cluster like that, and waits until its controllers have seen all of it. */
  bringAbout(situation: BadSituation): Promise<void>
  plan(spec: RollSpec, situation: BadSituation): Promise<RollPlan>
  /** A person types `evenkeel explain …`. */
  explain(line: string): Promise<SaidByExplain>
  readonly raw: RawApi
  /** Time goes on until it is so. */
  until(what: string, isSo: () => Promise<boolean>): Promise<void>
  /** What our programs have written to the API since the situation is there. */
  writes(): readonly string[]
}

export const nodesOf = ({ nodes: given }: BadSituation): readonly ApiManifest[] => given ?? nodes(3)

/** Each object by the API, its status after it, as kubelets write it. */
export async function apply(raw: RawApi, objects: readonly ApiManifest[]): Promise<void> {
  for (const { status, ...object } of objects) {
    const collection = collectionOf(object)
    const made = await raw('POST', collection, object)
    if (made.status !== 201) throw new Error(`${object.kind} ${object.metadata.name}: ${JSON.stringify(made.body)}`)
    if (status === undefined) continue
    const reply = await raw('PATCH', `${collection}/${object.metadata.name}/status`, { status })
    if (reply.status !== 200) throw new Error(`status of ${object.metadata.name}: ${JSON.stringify(reply.body)}`)
  }
}

/** The plan as the program makes it, but for machines and balancers, which answer as the situation says. */
export function planOf(cluster: Cluster, spec: RollSpec, situation: BadSituation): Promise<RollPlan> {
  const names = nodesOf(situation).map(({ metadata }) => metadata.name)
  const inspections = situation.inspections ?? [inspection(names)]
  const balancer: BalancerReader = {
    name: 'lb',
    inspect: (instance: string) => {
      const found = inspections.find((candidate) => candidate.instance === instance)
      return found === undefined ? Promise.reject(new Error(`no instance ${instance}`)) : Promise.resolve(found)
    },
  } as Partial<BalancerReader> as BalancerReader
  const host = {
    check: ({ node }: { readonly node: string }) =>
      Promise.resolve({ bootId: bootOf(node), mayReboot: true, hops: [] }),
    reboot: () => Promise.reject(new Error('a plan reboots nothing')),
    ownBootId: () => Promise.resolve(undefined),
    close: () => Promise.resolve(),
  }
  const parts = { spec, clusterName: 'test', cluster, balancers: [balancer], host, wall: wallMs(Date.UTC(2026, 0, 1)) }
  return prepare(parts, new AbortController().signal)
}

export const fileOf = ({ spec = {}, inspections }: BadSituation): string =>
  stringify({
    apiVersion: 'evenkeel.dev/v1alpha1',
    kind: 'Roll',
    metadata: { name: 'test' },
    spec: {
      nodes: { all: true },
      balancers: [
        {
          name: 'lb',
          instances: (inspections ?? [{ instance: 'lb-1' }]).map(({ instance }) => ({
            name: instance,
            socket: `/run/${instance}.sock`,
          })),
          backends: ['web'],
        },
      ],
      probes: [{ name: 'web', url: 'http://web.test/' }],
      ...spec,
    },
  })
