import { createHash } from 'node:crypto'
import type { NodeObject } from '../actors/node-object.ts'
import type { Condition } from '../actors/pod-object.ts'
import { withCondition } from '../actors/with-condition.ts'
import { addressIn } from './families.ts'
import type { NodeSpec } from './node-spec.ts'

/** A Node as its kubelet reads and writes it. */
export interface MachineNode extends NodeObject {
  readonly status?: NonNullable<NodeObject['status']> & {
    readonly capacity?: Readonly<Record<string, string>>
    readonly allocatable?: Readonly<Record<string, string>>
    readonly addresses?: readonly { readonly type: string; readonly address: string }[]
    readonly nodeInfo?: Readonly<Record<string, string>>
  }
}

/** What a kubelet knows of its machine. */
export interface MachineReading {
  readonly bootId: string
  readonly isReady: boolean
  readonly isShuttingDown?: boolean
  readonly stamp: string
  /** As before where absent. */
  readonly volumesInUse?: readonly string[]
}

const CAPACITY = { cpu: '4', memory: '8Gi', pods: '110' }
const KUBELET_VERSION = 'v1.35.4'

/** The Node that a kubelet registers where there is none (pkg/kubelet/kubelet_node_status.go, initialNode). */
export function newNode(spec: NodeSpec, reading: MachineReading): object {
  const { name, labels = {}, taints } = spec
  return {
    metadata: {
      name,
      labels: {
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        ...labels,
      },
    },
    spec: taints === undefined ? {} : { taints },
    status: nodeStatus(spec, undefined, { ...reading, isReady: false }),
  }
}

/** What is not the kubelet's stays as it is. */
export function nodeStatus(
  { name, address, capacity = CAPACITY, kubeletVersion = KUBELET_VERSION, families = ['IPv4'] }: NodeSpec,
  old: MachineNode['status'],
  { bootId, isReady, isShuttingDown = false, stamp, volumesInUse = old?.volumesInUse ?? [] }: MachineReading,
): NonNullable<MachineNode['status']> {
  const { volumesInUse: _, ...others } = old ?? {}
  const mine = [
    condition('MemoryPressure', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
    condition('DiskPressure', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
    condition('PIDPressure', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
    isShuttingDown ? SHUTTING_DOWN : isReady ? READY : NOT_READY,
  ]
  const conditions = mine.reduce<NonNullable<NonNullable<MachineNode['status']>['conditions']>>(
    (all, each) => withCondition(all, { ...each, lastHeartbeatTime: stamp, lastTransitionTime: stamp }),
    old?.conditions ?? [],
  )
  return {
    ...others,
    ...(volumesInUse.length === 0 ? {} : { volumesInUse }),
    capacity,
    allocatable: capacity,
    conditions,
    addresses: [
      ...families.map((family) => ({ type: 'InternalIP', address: addressIn(family, address) })),
      { type: 'Hostname', address: name },
    ],
    nodeInfo: {
      ...old?.nodeInfo,
      machineID: old?.nodeInfo?.machineID ?? machineIdOf(name),
      bootID: bootId,
      kubeletVersion,
      containerRuntimeVersion: 'containerd://2.1.0',
      osImage: 'Even Keel',
      operatingSystem: 'linux',
      architecture: 'amd64',
    },
  }
}

/** As systemd makes one for each machine (machine-id(5)). */
const machineIdOf = (name: string): string => createHash('sha256').update(name).digest('hex').slice(0, 32)

const condition = (type: string, reason: string, message: string): Condition => ({
  type,
  status: 'False',
  reason,
  message,
})

const READY: Condition = {
  type: 'Ready',
  status: 'True',
  reason: 'KubeletReady',
  message: 'kubelet is posting ready status',
}

/** pkg/kubelet/nodestatus/setters.go, ReadyCondition, with the error of ShutdownStatus. */
const SHUTTING_DOWN: Condition = {
  type: 'Ready',
  status: 'False',
  reason: 'KubeletNotReady',
  message: 'node is shutting down',
}

const NOT_READY: Condition = {
  type: 'Ready',
  status: 'False',
  reason: 'KubeletNotReady',
  message:
    'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized',
}
