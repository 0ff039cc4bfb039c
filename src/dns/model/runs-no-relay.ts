import type { Taint } from '../../ground/model/node.ts'

interface Marks {
  readonly labels: Readonly<Record<string, string>>
  readonly taints: readonly Pick<Taint, 'key'>[]
}

const VIRTUAL = 'virtual-kubelet'

/** Whether the node does not run Linux, or is a virtual kubelet. */
export const runsNoRelay = ({ labels, taints }: Marks): boolean =>
  labels.type === VIRTUAL ||
  taints.some(({ key }) => key.startsWith(`${VIRTUAL}.io/`)) ||
  (labels['kubernetes.io/os'] ?? 'linux') !== 'linux'
