import { field } from '../../contract/api/field.ts'
import type { ControlPlane } from '../../contract/control/control-plane.ts'
import { collectionPath, WORLD_LABEL } from './paths.ts'

const STRATEGIC = 'application/strategic-merge-patch+json'
const NODES = ['n1', 'n2']
/** All pods of a Job are there by then. */
const PODS_COME_MS = 3_000

/** Two nodes that are Ready and that no kubelet runs, in a namespace of their own. */
export async function makeGround({ door, pass, stamp }: ControlPlane, world: string): Promise<void> {
  // The embedded cluster makes no service accounts, and its pods need none.
  const hasAccounts = (await door.ask('GET', '/api/v1/namespaces/default/serviceaccounts/default')).status === 200
  await door.ask('POST', '/api/v1/namespaces', {
    body: { metadata: { name: world, labels: { [WORLD_LABEL]: world } } },
  })
  for (const short of NODES) {
    const name = `${world}-${short}`
    const labels = { [WORLD_LABEL]: world, 'kubernetes.io/hostname': name }
    await door.ask('POST', '/api/v1/nodes', { body: { metadata: { name, labels } } })
    const at = stamp()
    const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'x' }
    const room = { cpu: '4', memory: '8Gi', pods: '110' }
    const status = {
      capacity: room,
      allocatable: room,
      conditions: [{ ...ready, lastHeartbeatTime: at, lastTransitionTime: at }],
    }
    await door.ask('PATCH', `/api/v1/nodes/${name}/status`, { contentType: STRATEGIC, body: { status } })
  }
  for (let looks = 0; looks < 100; looks += 1) {
    if (await isGroundReady(door, world, hasAccounts)) return
    await pass(100)
  }
  throw new Error('the nodes stay tainted, or there is no service account')
}

async function isGroundReady(door: ControlPlane['door'], world: string, hasAccounts: boolean): Promise<boolean> {
  for (const short of NODES) {
    const { body } = await door.ask('GET', `/api/v1/nodes/${world}-${short}`)
    if (field(body, 'spec.taints') !== undefined) return false
  }
  const path = `/api/v1/namespaces/${world}/serviceaccounts/default`
  return !hasAccounts || (await door.ask('GET', path)).status === 200
}

/**
 * What the kubelets of both nodes have to say by now of the pods on them. Pods end together, once each has a node and is some
 * seconds old: a Job would take those away that come later. True: something was written.
 */
export async function kubeletPass(plane: ControlPlane, world: string, pods: readonly unknown[]): Promise<boolean> {
  let hasWritten = false
  const mayEnd = pods.every((pod) => field(pod, 'spec.nodeName') !== undefined && ageMs(plane, pod) >= PODS_COME_MS)
  for (const pod of pods) {
    const path = `${collectionPath('Pod', world)}/${String(field(pod, 'metadata.name'))}`
    const node = String(field(pod, 'spec.nodeName') ?? '')
    if (!NODES.some((short) => node === `${world}-${short}`)) continue
    if (field(pod, 'metadata.deletionTimestamp') !== undefined) {
      const isLeft = field(pod, 'metadata.deletionGracePeriodSeconds') === 0
      if (isLeft) continue
      const body = { gracePeriodSeconds: 0, preconditions: { uid: field(pod, 'metadata.uid') } }
      await plane.door.ask('DELETE', path, { body })
      hasWritten = true
    } else if (field(pod, 'status.containerStatuses') === undefined && !hasEnded(pod) && (mayEnd || !ends(pod))) {
      await plane.door.ask('PATCH', `${path}/status`, {
        contentType: STRATEGIC,
        body: { status: statusOf(plane, pod) },
      })
      hasWritten = true
    }
  }
  return hasWritten
}

const hasEnded = (pod: unknown): boolean => /^(Succeeded|Failed)$/.test(String(field(pod, 'status.phase')))

const runsOf = (pod: unknown): string =>
  (field(pod, 'metadata.labels') as Readonly<Record<string, string>> | undefined)?.['test.local/runs'] ?? 'ready'

const ends = (pod: unknown): boolean => PHASES[runsOf(pod)] !== undefined

const ageMs = ({ stamp }: ControlPlane, pod: unknown): number =>
  Date.parse(stamp()) - Date.parse(String(field(pod, 'metadata.creationTimestamp')))

const PHASES: Readonly<Record<string, string>> = { succeeds: 'Succeeded', fails: 'Failed' }

/** At once all that a kubelet writes one after the other (pkg/kubelet/status/generate.go). */
function statusOf({ stamp }: ControlPlane, pod: unknown): object {
  const runs = runsOf(pod)
  const phase = PHASES[runs] ?? 'Running'
  const is = (type: string, status: boolean) => ({
    type,
    status: status ? 'True' : 'False',
    lastProbeTime: null,
    lastTransitionTime: at,
  })
  const at = stamp()
  const isReady = runs === 'ready'
  const state =
    phase === 'Running'
      ? { running: { startedAt: at } }
      : { terminated: { exitCode: phase === 'Failed' ? 1 : 0, startedAt: at, finishedAt: at, reason: 'Ended' } }
  const containers = (field(pod, 'spec.containers') ?? []) as readonly {
    readonly name: string
    readonly image: string
  }[]
  return {
    phase,
    podIP: '10.1.1.1',
    podIPs: [{ ip: '10.1.1.1' }],
    startTime: at,
    conditions: [is('Initialized', true), is('ContainersReady', isReady), is('Ready', isReady)],
    containerStatuses: containers.map(({ name, image }) => ({
      name,
      image,
      imageID: '',
      ready: isReady,
      restartCount: 0,
      containerID: 'containerd://1',
      state,
    })),
  }
}
