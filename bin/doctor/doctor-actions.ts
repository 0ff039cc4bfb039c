import process from 'node:process'
import { isSea } from 'node:sea'
import manifest from '../../package.json' with { type: 'json' }
import type { DoctorActions, DoctorPlace } from '../../src/explain/cli/doctor-command.ts'
import type {
  DoctorSnapshot,
  Found,
  InstanceFound,
  TargetFound,
} from '../../src/explain/decide/doctor/doctor-snapshot.ts'
import { portsOf } from '../../src/explain/decide/doctor/file-checks.ts'
import type { FollowParts } from '../../src/ground/kube/follow.ts'
import { kubeCluster } from '../../src/ground/kube/kube-cluster.ts'
import { kubeConfigMaps } from '../../src/ground/kube/kube-config-maps.ts'
import { kubeconfigPaths } from '../../src/ground/kube/kubeconfig-paths.ts'
import { openApi } from '../../src/ground/kube/open-cluster.ts'
import { PinnedKubeconfig } from '../../src/ground/kube/pinned-kubeconfig.ts'
import { serverAnswer } from '../../src/ground/kube/server-answer.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../src/ground/machine/system-random.ts'
import { TcpDataPort } from '../../src/ground/machine/tcp-data-port.ts'
import { findProgram, whyNotWritable } from '../../src/ground/machine/this-machine.ts'
import { present } from '../../src/ground/model/present.ts'
import { SLOTS_NAMESPACE } from '../../src/ground/model/slot.ts'
import { NodeHttpProbe } from '../../src/ground/net/node-http-probe.ts'
import type { Cluster } from '../../src/ground/ports/cluster.ts'
import { journalAccess } from '../../src/roll/decide/plan/wanted-access.ts'
import { journalPlace } from '../../src/roll/model/journal-place.ts'
import type { RollSpec } from '../../src/roll/model/roll-spec.ts'
import { readBudget, silentAt } from '../../src/roll/run/prepare.ts'
import type { BalancerReader } from '../../src/service/ports/balancer.ts'
import { openBalancers } from '../roll/open-balancers.ts'
import { journals, type RollSurroundings } from '../roll/world.ts'
import { attempt, CHECK_LIMIT_MS } from './attempt.ts'
import { readRequests } from './requests.ts'
import { rightsAndSlot } from './rights-and-slot.ts'

/** The reads of `evenkeel doctor`: this machine, the cluster of a kubeconfig, and what a roll file names. It changes nothing. */
export const doctorActions = (surroundings: RollSurroundings): DoctorActions => ({
  read: async ({ place, file }, signal) => {
    const spec = file?.is === 'found' ? file.value.spec : undefined
    const [machine, { cluster, parts: follow, ...ofCluster }] = await Promise.all([
      readMachine(surroundings),
      readCluster(place, { surroundings, spec }, signal),
    ])
    const stateDirectory = await stateOf({ place, surroundings, cluster }, signal)
    const found = { ...machine, stateDirectory, ...ofCluster, ...present({ file }) }
    if (spec === undefined) return found
    const [instances, targets, requests] = await Promise.all([
      inspectAll(spec, { cluster, surroundings }, signal),
      askTargets(spec, signal),
      readRequests(spec, { ...ofCluster, ...present({ parts: follow }), env: surroundings.env }, signal),
    ])
    const ports = portsOf({ ...found, instances })
    const parts = { dataPort: new TcpDataPort(), clock }
    const silentPorts = await attempt(
      signal,
      async (limited) => (await silentAt(parts, ports, limited)) ?? [],
      PORTS_LIMIT_MS,
    )
    return { ...found, instances, targets, silentPorts, ...requests }
  },
})

/** A fleet has many, and one that does not answer is asked twice. */
const PORTS_LIMIT_MS = 20_000

const WANTED_MAJOR = Number.parseInt(manifest.engines.node.replace(/^\D+/, ''), 10)

async function readMachine({ env }: RollSurroundings): Promise<Pick<DoctorSnapshot, 'node' | 'ssh'>> {
  const ssh = await findProgram('ssh', env.PATH ?? '')
  return {
    ...(isSea() ? {} : { node: { version: process.versions.node, wantedMajor: WANTED_MAJOR } }),
    ...present({ ssh }),
  }
}

interface StateAsked {
  readonly place: DoctorPlace
  readonly surroundings: RollSurroundings
  readonly cluster: Cluster | undefined
}

/** Whether journals can be written: into the directory, or by the rights in the namespace. */
async function stateOf({ place, surroundings, cluster }: StateAsked, signal: AbortSignal): Promise<Found<string>> {
  const { directory } = journals(place, surroundings)
  const at = journalPlace(directory)
  const why = at.kind === 'directory' ? await whyNotWritable(at.path) : await whyNoRights(at.namespace, cluster, signal)
  return why === undefined
    ? { is: 'found', value: directory }
    : { is: 'failed', text: `no journal can be written into ${directory}: ${why}` }
}

async function whyNoRights(
  namespace: string,
  cluster: Cluster | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (cluster === undefined) return 'the cluster cannot be asked'
  const found = await attempt(signal, (limited) => cluster.forbidden(journalAccess(namespace), limited))
  if (found.is === 'failed') return found.text
  const [missing] = found.value
  return missing === undefined
    ? undefined
    : `this identity is not allowed to ${missing.verb} ${missing.resource} there (deploy/roll-journal-rbac.yaml)`
}

/** Of a roll without a file. */
const BARE = { slots: { namespace: SLOTS_NAMESPACE } }

type OfCluster = Pick<
  DoctorSnapshot,
  'kubeconfig' | 'api' | 'rights' | 'slot' | 'slots' | 'budget' | 'nodes' | 'slices' | 'daemonSets' | 'wall'
> & {
  readonly cluster?: Cluster
  readonly parts?: FollowParts
}

async function readCluster(
  place: DoctorPlace,
  { surroundings, spec }: { readonly surroundings: RollSurroundings; readonly spec: RollSpec | undefined },
  signal: AbortSignal,
): Promise<OfCluster> {
  const { version, env, log } = surroundings
  const kubeconfigPath = place.kubeconfig ?? env.KUBECONFIG
  const kubeconfig = await attempt(signal, async () => {
    const files = kubeconfigPaths(kubeconfigPath)
    const { context } = await PinnedKubeconfig.read({ paths: files, context: place.context, env }, clock)
    return { files, context }
  })
  if (kubeconfig.is === 'failed') return { kubeconfig }
  const userAgent = `evenkeel/${version}`
  const opened = await attempt(signal, async (limited) => {
    const api = await openApi({ kubeconfigPath, context: place.context, env, clock, random, log, userAgent }, limited)
    return { api, answer: await serverAnswer({ client: api.parts.client, clock }, limited) }
  })
  if (opened.is === 'failed') return { kubeconfig, api: opened }
  const { api, answer } = opened.value
  const cluster = kubeCluster(api.parts, api.server)
  const configMaps = kubeConfigMaps(api.parts.client)
  const [allowed, nodes, slices, daemonSets, budget] = await Promise.all([
    rightsAndSlot(cluster, spec, signal),
    attempt(signal, (limited) => cluster.list('nodes', limited)),
    // Only a file names backends, which may be those of the API.
    spec && attempt(signal, (limited) => cluster.list('endpointslices', limited)),
    spec && attempt(signal, (limited) => cluster.list('daemonsets', limited)),
    attempt(signal, (limited) => readBudget({ spec: spec ?? BARE, configMaps }, limited)),
  ])
  return {
    kubeconfig,
    api: { is: 'found', value: { server: api.server, ...answer } },
    ...allowed,
    budget,
    nodes,
    ...present({ slices, daemonSets }),
    wall: clock.wallMs(),
    cluster,
    parts: api.parts,
  }
}

async function inspectAll(
  spec: RollSpec,
  { cluster, surroundings }: { readonly cluster: Cluster | undefined; readonly surroundings: RollSurroundings },
  signal: AbortSignal,
): Promise<readonly InstanceFound[]> {
  const { balancers, readers } = openBalancers(spec, { cluster, env: surroundings.env })
  const asked: readonly BalancerReader[] = [...balancers, ...readers]
  const inspect = async (balancer: string, instance: string): Promise<InstanceFound> => {
    const reader = asked.find(({ name }) => name === balancer)
    if (reader === undefined) return { balancer, instance }
    return { balancer, instance, inspection: await attempt(signal, (limited) => reader.inspect(instance, limited)) }
  }
  try {
    return await Promise.all(
      spec.balancers.flatMap(({ name, instances }) => instances.map((instance) => inspect(name, instance))),
    )
  } finally {
    await Promise.all(balancers.map((balancer) => balancer.close()))
  }
}

async function askTargets({ probe }: RollSpec, signal: AbortSignal): Promise<readonly TargetFound[]> {
  const asker = new NodeHttpProbe()
  try {
    return await Promise.all(
      (probe?.targets ?? []).map(async (target): Promise<TargetFound> => {
        const limitMs = Math.min(CHECK_LIMIT_MS, target.timeoutMs)
        const asked = await attempt(signal, (limited) => asker.ask(target, 'new', limited), limitMs)
        const { name, url } = target
        return { name, url, answer: answerOf(asked) }
      }),
    )
  } finally {
    asker.close()
  }
}

function answerOf(asked: Found<Awaited<ReturnType<NodeHttpProbe['ask']>>>): Found<undefined> {
  if (asked.is === 'failed') return asked
  const { failure, error, proberFault } = asked.value
  if (failure === undefined && proberFault !== true) return { is: 'found', value: undefined }
  return { is: 'failed', text: [failure, error].filter((part) => part !== undefined).join(': ') }
}
