import type { NodeObject } from '../../../../src/sim/actors/node-object.ts'
import type { Checker } from './checker.ts'
import { claimants } from './claimants.ts'
import type { Scene, ServerFact } from './scene.ts'

const NAME = 'last-to-withdraw'
const RECORD = 'evenkeel.dev/record'
/** From a claim until its agent, and the balancers that check it, have the node out. */
const NOTICED_MS = 10_000
/** A process of a balancer takes every server for up until it has checked it. */
const ASKED_AFTER_MS = 4_000

/**
 * A node is put back in by the last owner that withdraws. No roll sets a server ready that served before while another
 * owner claims its node. No balancer that goes by checks has a server again whose node was claimed all the while.
 */
export function lastToWithdraw(scene: Scene): Checker {
  const outs = new Set<string>()
  const claimedSince = new Map<string, number>()
  const isReloaded = ({ instance }: ServerFact): boolean =>
    scene.reloads.some((reload) => reload.instance === instance && scene.nowMs - reload.atMs < ASKED_AFTER_MS)
  const isNoticed = (node: string): boolean => scene.nowMs - (claimedSince.get(node) ?? scene.nowMs) >= NOTICED_MS
  return {
    onAsked: ({ run, request }) => {
      if (request.kind !== 'balancer') return
      const ready = new Set(scene.words(request).flatMap(({ key, to }) => (to === 'ready' ? [key] : [])))
      for (const { key, node } of scene.servers()) {
        if (!ready.has(key) || scene.prior.servers.get(key) !== 'ready') continue
        const others = claimants(nodeNamed(scene, node)).filter((owner) => !ownersOf(scene, node, run).has(owner))
        if (others.length > 0) scene.tell(NAME, `${key} is set ready, and ${others.join(', ')} keeps ${node} out`)
      }
    },
    onLook: () => {
      for (const node of scene.nodes()) {
        const { name } = node.metadata
        if (claimants(node).length === 0) claimedSince.delete(name)
        else if (!claimedSince.has(name)) claimedSince.set(name, scene.nowMs)
      }
      for (const server of scene.servers()) {
        if (server.by !== 'agent') continue
        if (server.admin !== 'ready') outs.add(server.key)
        else if (outs.delete(server.key) && isNoticed(server.node) && !isReloaded(server))
          scene.tell(
            NAME,
            `${server.key} is sent to again, and ${claimants(nodeNamed(scene, server.node)).join(', ')} claims its node`,
          )
      }
    },
  }
}

const nodeNamed = (scene: Scene, name: string): NodeObject | undefined =>
  scene.nodes().find(({ metadata }) => metadata.name === name)

/** The run that asks, and the run that it puts back for. */
function ownersOf(scene: Scene, node: string, run: string): ReadonlySet<string> {
  const record = nodeNamed(scene, node)?.metadata.annotations?.[RECORD]
  const recorded = record === undefined ? undefined : (JSON.parse(record) as { readonly run?: string }).run
  return new Set([`roll/${run}`, `roll/${recorded}`])
}
