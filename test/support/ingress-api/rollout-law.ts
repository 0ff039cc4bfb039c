import type { ApiFleet } from './api-fleet.ts'
import { type ApiObject, annotationOf, claimsOn, hostOf, isLeaving, operationOf } from './api-object.ts'
import type { IngressApiGround } from './ingress-api-ground.ts'

interface Marks {
  readonly deployment: string
  readonly node: string
}

/** What a rollout by detached nodes has to keep at every change that the API server tells of, and what is to be left at its end. */
export class RolloutLaw {
  readonly #ground: IngressApiGround
  readonly #marks: Marks

  constructor(ground: IngressApiGround, marks: Marks) {
    this.#ground = ground
    this.#marks = marks
  }

  /**
   * The most nodes that were claimed or lacked a Ready pod at once, of all fleets, and pods that left a node that was not claimed and
   * marked.
   */
  broken(since: number, fleets: readonly ApiFleet[], podsPerNode: number) {
    const nodes = [...new Set(fleets.flatMap((fleet) => fleet.nodes))]
    let mostOut: readonly string[] = []
    const early = new Set<string>()
    this.#ground.history.replay(since, (world, { kind, object }) => {
      const out = nodes.filter((name) => {
        const node = world.nodes.get(`/${name}`)
        const isClaimed = node !== undefined && claimsOn(node).length > 0
        return isClaimed || fleets.some((fleet) => fleet.readyOn(world, name) < podsPerNode)
      })
      if (out.length > mostOut.length) mostOut = out
      const fleet = fleets.find((one) => one.owns(object))
      if (kind !== 'pods' || fleet === undefined || !isLeaving(object)) return
      const host = hostOf(object) ?? ''
      const node = world.nodes.get(`/${host}`)
      const deployment = fleet.deploymentIn(world, host)
      if (!this.#isDetached(node, deployment)) early.add(`${object.metadata.name} of ${host}`)
    })
    return { mostOut, early: [...early] }
  }

  #isDetached(node: ApiObject | undefined, deployment: ApiObject | undefined): boolean {
    if (node === undefined || deployment === undefined) return false
    const isMarked = annotationOf(node, this.#marks.node) !== undefined
    return isMarked && claimsOn(node).length > 0 && annotationOf(deployment, this.#marks.deployment) !== undefined
  }

  /** What a rollout may not leave behind, as the API server has it now, and not as a watch told it. */
  async leftOver(fleet: ApiFleet): Promise<readonly string[]> {
    const items = async (path: string): Promise<readonly ApiObject[]> =>
      ((await this.#ground.mustAsk('GET', path)) as { readonly items: readonly ApiObject[] }).items
    const nodes = (await items('/api/v1/nodes')).filter(({ metadata }) => fleet.nodes.includes(metadata.name))
    const deployments = (await items('/apis/apps/v1/deployments')).filter((one) => fleet.owns(one))
    const leases = await items('/apis/coordination.k8s.io/v1/namespaces/evenkeel/leases')
    return [
      ...nodes.flatMap((node) => this.#onNode(node)),
      ...deployments.flatMap((one) => [
        ...(operationOf(one) === undefined ? [] : [`an operation on ${one.metadata.name}`]),
        ...(annotationOf(one, this.#marks.deployment) === undefined ? [] : [`a mark on ${one.metadata.name}`]),
      ]),
      ...leases
        .filter(({ metadata, spec = {} }) => metadata.name.includes('-slot-') && (spec.holderIdentity ?? '') !== '')
        .map(({ metadata, spec = {} }) => `${metadata.name} of ${spec.holderIdentity}`),
    ]
  }

  #onNode(node: ApiObject): readonly string[] {
    const keys = ['evenkeel.dev/maintenance', 'evenkeel.dev/detach-holders', this.#marks.node]
    return keys.filter((key) => annotationOf(node, key) !== undefined).map((key) => `${key} on ${node.metadata.name}`)
  }
}
