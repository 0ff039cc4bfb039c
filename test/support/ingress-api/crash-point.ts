import type { ApiFleet } from './api-fleet.ts'
import { type ApiObject, annotationOf, claimsOn, nodeOf, operationOf } from './api-object.ts'
import type { IngressApiGround } from './ingress-api-ground.ts'
import type { SeenWrite } from './write-door.ts'

interface Marks {
  readonly deployment: string
  readonly node: string
}

/** A write after which a process dies, and what stands on the cluster then. */
interface CrashPoint {
  readonly title: string
  isLast(write: SeenWrite): boolean
  /** In words, `slot Detaching mark web:1`. */
  readonly found: string
}

const on =
  (kind: string, ...parts: readonly (string | RegExp)[]) =>
  ({ path, body }: SeenWrite): boolean =>
    path.includes(kind) && parts.every((part) => (typeof part === 'string' ? body.includes(part) : part.test(body)))

/** In the order of one node. The phase is written before the template, so that no template stands without its phase. */
export const crashPoints = ({ node, deployment }: Marks): readonly CrashPoint[] => [
  {
    title: 'the slot is taken, and no operation is written',
    isLast: on('/leases', '"evenkeel.dev/node"'),
    found: 'slot web:old',
  },
  {
    title: 'the operation and the mark of the Deployment are written, and the Node is not claimed',
    isLast: on('/deployments/', /phase\\":\\"Detaching/, deployment),
    found: 'slot Detaching mark web:old',
  },
  {
    title: 'the Node is claimed and marked, and t1 is not written',
    isLast: on('/nodes/', 'detach-holders', `"op":"add"`),
    found: 'slot Detaching mark claim node-mark web:old',
  },
  {
    title: 'the template is written, and its pods are not there',
    isLast: on('/deployments/', '"template"'),
    found: 'slot Updating t1 mark claim node-mark web:new',
  },
  {
    title: 'the mark of the Node is removed, and that of the Deployment is not',
    isLast: on('/nodes/', `"op":"remove","path":"/metadata/annotations/${node.replace('/', '~1')}"`),
    found: 'slot Attaching t1 mark claim web:new',
  },
  {
    title: 'the operation is removed, and the slot is held',
    isLast: on('/deployments/', '"evenkeel.dev/ingress-operation":null'),
    found: 'slot web:new',
  },
]

/** The node for which a slot is held. */
export function slotNode(ground: IngressApiGround): string | undefined {
  const held = ground.history.now('slots').find(isHeldSlot)
  return held === undefined ? undefined : nodeOf(held)
}

export const isHeldSlot = ({ metadata, spec = {} }: ApiObject): boolean =>
  metadata.name.startsWith('evenkeel-slot-') && (spec.holderIdentity ?? '') !== ''

/** What stands there for that node, in the words of `CrashPoint.found`. */
export function foundOn(fleet: ApiFleet, name: string, { marks, hasSlot }: { marks: Marks; hasSlot: boolean }): string {
  const [node, deployment] = [fleet.node(name), fleet.deploymentOf(name)]
  if (node === undefined || deployment === undefined) return 'nothing'
  const op = operationOf(deployment)
  const template = deployment.spec?.template as { readonly spec: { readonly containers: readonly { image: string }[] } }
  return [
    ...(hasSlot ? ['slot'] : []),
    ...(op === undefined ? [] : [op.phase]),
    ...(op?.t1 === undefined ? [] : ['t1']),
    ...(annotationOf(deployment, marks.deployment) === undefined ? [] : ['mark']),
    ...(claimsOn(node).length === 0 ? [] : ['claim']),
    ...(annotationOf(node, marks.node) === undefined ? [] : ['node-mark']),
    template.spec.containers[0]?.image ?? '',
  ].join(' ')
}
