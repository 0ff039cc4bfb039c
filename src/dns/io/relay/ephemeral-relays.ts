import type { ApiClient } from '../../../ground/kube/api-client.ts'
import { type ObjectRef, refKey } from '../../../ground/model/object-ref.ts'
import { present } from '../../../ground/model/present.ts'
import { WorldError } from '../../../ground/model/world-error.ts'
import type { Clock } from '../../../ground/ports/clock.ts'
import type { Random } from '../../../ground/ports/random.ts'
import type { DnsRelays, OpenRelays } from '../../ports/dns-relays.ts'
import { ApiControl } from '../api-control.ts'
import { addEphemeralRelay, readHostPod } from '../ephemeral-relay.ts'
import { connectRelay } from './connect-relay.ts'
import { RelayedAsker } from './relayed-asker.ts'

interface Parts {
  readonly client: ApiClient
  readonly clock: Clock
  readonly random: Random
  readonly pod: ObjectRef
  readonly image: string
}

/** Ports that hardly any pod listens at, on its loopback: a pod may have one relay after the other. */
const [FIRST_PORT, PORTS] = [20_000, 10_000]

/** A relay in a pod that is there already, as an ephemeral container: it asks from that pod's own network. */
export class EphemeralRelays implements DnsRelays {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async open(_nodes: readonly string[], signal: AbortSignal): Promise<OpenRelays> {
    const { client, clock, random, pod, image } = this.#parts
    const name = `evenkeel-dns-${random.hex(4)}`
    const port = FIRST_PORT + Math.floor(random.next() * PORTS)
    try {
      const { node } = await addEphemeralRelay(client, { pod, name, image, port }, signal)
      const read = async (limited: AbortSignal) => {
        const state = (await readHostPod(client, pod, limited)).states.get(name)
        return state && { pod: pod.name, ...state }
      }
      const sockets = await connectRelay(this.#parts, { namespace: pod.namespace, port, read }, signal)
      const relay = {
        name: `pod ${refKey(pod)}`,
        ...present({ node }),
        control: new ApiControl(sockets),
        isOpen: () => sockets.isOpen,
      }
      const close = async (): Promise<readonly string[]> => {
        sockets.close()
        return [`container ${name} ends by itself; pod ${refKey(pod)} names it until the pod is deleted`]
      }
      const relays = [{ ...relay, asker: new RelayedAsker({ sockets, clock, random }) }]
      return { relays, notes: [], isLacking: false, close }
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof WorldError)) throw error
      const notes = [`an ephemeral container in pod ${refKey(pod)} could not be started: ${error.message}`]
      // Each try adds one more container to the pod, for good.
      return { relays: [], notes, isLacking: false, close: async () => [] }
    }
  }
}
