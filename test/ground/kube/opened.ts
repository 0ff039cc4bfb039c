import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { openCluster } from '../../../src/ground/kube/open-cluster.ts'
import type { Node } from '../../../src/ground/model/node.ts'
import type { Cluster, FollowEvent } from '../../../src/ground/ports/cluster.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { kubeconfig } from '../../../testbed/pki/kubeconfig.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'
import type { FakeApiServer } from './fake-api-server.ts'

export interface Opened {
  readonly cluster: Cluster
  readonly clock: VirtualClock
  readonly warnings: string[]
  readonly signal: AbortSignal
}

interface Choice {
  readonly context?: string
  readonly env?: Readonly<Record<string, string>>
  /** Ends the opening. */
  readonly signal?: AbortSignal
}

/** A folder that goes with the test. */
export async function aFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'evenkeel-'))
  t.after(() => rm(folder, { recursive: true }))
  return folder
}

export const serverUrl = (server: FakeApiServer): string => `https://127.0.0.1:${server.port}`

/** Opens the cluster with that kubeconfig, on virtual time; all of it ends with the test. */
export async function open(t: TestContext, config: string, choice: Choice = {}): Promise<Opened> {
  const kubeconfigPath = join(await aFolder(t), 'kubeconfig')
  await writeFile(kubeconfigPath, config)
  return await openPath(t, kubeconfigPath, choice)
}

/** As above, with a kubeconfig that is there already. */
export async function openPath(t: TestContext, kubeconfigPath: string, choice: Choice = {}): Promise<Opened> {
  const stop = new AbortController()
  t.after(() => stop.abort(new Error('the test is over')))
  const clock = new VirtualClock(new Date().toISOString())
  const warnings: string[] = []
  const log = { debug: () => undefined, warn: (text: string) => void warnings.push(text) }
  const userAgent = 'evenkeel/test'
  const { context, env = {}, signal = stop.signal } = choice
  const options = { kubeconfigPath, context, env, clock, random: new SeededRandom(1), log, userAgent }
  return { cluster: await openCluster(options, signal), clock, warnings, signal: stop.signal }
}

/** Opens the fake server with a token. */
export function openFake(t: TestContext, server: FakeApiServer): Promise<Opened> {
  t.after(() => server.stop())
  const user = { token: 'let-me-in' }
  return open(t, kubeconfig({ server: serverUrl(server), authorityPem: server.authority.certificatePem, user }))
}

export interface Followed {
  readonly events: FollowEvent<Node>[]
  /** What a follower knows now: node → whether it is cordoned. */
  readonly view: Map<string, boolean>
}

/** Follows nodes until the test is over. */
export function followNodes({ cluster, signal }: Pick<Opened, 'cluster' | 'signal'>): Followed {
  const events: FollowEvent<Node>[] = []
  const view = new Map<string, boolean>()
  const sink = (event: FollowEvent<Node>): void => {
    events.push(event)
    if (event.type === 'listed') view.clear()
    for (const node of event.type === 'listed' ? event.objects : []) view.set(node.name, node.unschedulable)
    if (event.type === 'applied') view.set(event.object.name, event.object.unschedulable)
    if (event.type === 'deleted') view.delete(event.object.name)
  }
  cluster.follow('nodes', sink, signal).catch(() => undefined)
  return { events, view }
}

/** Waits in real time while virtual time runs at about ten times its pace. */
export function until({ clock }: Opened, what: string, holds: () => boolean): Promise<true> {
  return waitFor({ what, limitMs: 20_000, everyMs: 5 }, async () => {
    await clock.advance(50)
    return holds() || undefined
  })
}
