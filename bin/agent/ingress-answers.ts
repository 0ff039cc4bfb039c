import type { AgentOptions } from '../../src/agent/cli/agent-options.ts'
import { allotPorts } from '../../src/agent/decide/ingress-ports.ts'
import { openSharedHttpDoor } from '../../src/agent/io/shared-http-door.ts'
import type { AgentStore } from '../../src/agent/ports/agent-store.ts'
import type { AgentStatus } from '../../src/agent/run/agent-status.ts'
import { dataPages, nodeSays } from '../../src/agent/run/data-pages.ts'
import type { OneIngress } from '../../src/agent/run/ingress-deployments.ts'
import { IngressPorts } from '../../src/agent/run/ingress-ports.ts'
import { IngressWatch } from '../../src/agent/run/ingress-watch.ts'
import type { FollowParts } from '../../src/ground/kube/follow.ts'
import { kubeObjects } from '../../src/ground/kube/kube-objects.ts'
import { systemTimers } from '../../src/ground/machine/system-timers.ts'
import { present } from '../../src/ground/model/present.ts'

export interface IngressParts {
  readonly options: AgentOptions
  readonly api: FollowParts
  readonly store: AgentStore
  readonly bootId: string
  /** The agent's own ports. */
  readonly own: () => readonly number[]
}

/** The IngressDaemonSets of a node as far as they are known, and their ports. */
interface IngressAnswers {
  readonly watch: IngressWatch
  readonly ports: IngressPorts
  readonly status: () => NonNullable<AgentStatus['ingress']>
}

export function ingressAnswers({ options, api, store, bootId, own }: IngressParts): IngressAnswers {
  const { node, address, dialect, ingressOnly: only, ingressPorts: range } = options
  const says = only === undefined ? nodeSays(node) : podSays(node, only)
  const { clock, random, log } = api
  const watch = new IngressWatch({
    ...{ node, store, bootId, clock, log },
    ...present({ only }),
    objects: kubeObjects(api),
    onChange: () => ports.wake(),
  })
  const host = address === undefined ? {} : { host: address }
  const ports: IngressPorts = new IngressPorts({
    wanted: () => allotPorts(watch.readings, { own: new Set(own()), ...present({ range }) }),
    isKnown: () => watch.isKnown,
    open: (port, signal) => {
      // A connection that was accepted before its port closed is answered for the former owner of the port.
      let last: string | undefined
      const owner = (): string | undefined => {
        last = ports.ownerOf(port) ?? last
        return last
      }
      const pageOf = dataPages({ node, says, dialect, answerTo: (caller) => watch.asked(owner(), caller) })
      const at = { place: { ...host, reusePort: true, port }, timers: systemTimers }
      return openSharedHttpDoor({ at, says, pageOf, clock }, signal)
    },
    ...{ clock, random, log },
  })
  const status = (): NonNullable<AgentStatus['ingress']> => ({
    heard: watch.heard,
    answered: watch.answered,
    isOpen: (port) => ports.isOpen(port),
    trouble: [...watch.trouble, ...ports.trouble],
  })
  return { watch, ports, status }
}

/** The text is neither that of an agent nor that of another object's pod. */
const podSays = (node: string, { group, namespace, name }: OneIngress): string =>
  `${nodeSays(node)}, IngressDaemonSet: ${JSON.stringify(`${group}/${namespace}/${name}`)}`
