import { DEPLOYMENTS } from '../../../src/sim/world/api-resource.ts'
import type { IngressGround } from './ingress-ground.ts'

const OP_ANNOTATION = 'evenkeel.dev/ingress-operation'
const MARK = 'ingressdaemonsets.mumoshu.github.com/to-be-updated'

type Annotations = Readonly<Record<string, string>>

const deploymentOf = (ground: IngressGround, node: string) =>
  ground.deployments().find(({ metadata }) => metadata.annotations?.['evenkeel.dev/node'] === node)

/** What stands on the Deployment of the node. */
export const annotationsOf = (ground: IngressGround, node: string): Annotations =>
  deploymentOf(ground, node)?.metadata.annotations ?? {}

function change(ground: IngressGround, node: string, to: (before: Annotations) => Annotations): void {
  const found = deploymentOf(ground, node)
  if (found === undefined) return
  const annotations = to(found.metadata.annotations ?? {})
  ground.cluster.world.store.put(DEPLOYMENTS, { ...found, metadata: { ...found.metadata, annotations } })
}

/** A person sets annotations of the Deployment of the node. */
export const annotate = (ground: IngressGround, node: string, annotations: Annotations): void =>
  change(ground, node, (before) => ({ ...before, ...annotations }))

/** What the controller has written on the Deployment of the node is removed. */
export const unmark = (ground: IngressGround, node: string): void =>
  change(ground, node, ({ [OP_ANNOTATION]: _op, [MARK]: _mark, ...others }) => others)
