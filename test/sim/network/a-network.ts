import { wallMs } from '../../../src/ground/model/time.ts'
import { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import { VirtualTime } from '../../../src/sim/clocks/virtual-time.ts'
import type { Accepted, Connection, Dialled, Listener, Network } from '../../../src/sim/network/network.ts'
import { VirtualNetwork } from '../../../src/sim/network/virtual-network.ts'
import { turnsOfLoop } from '../../support/turns-of-loop.ts'

export function aNetwork(seed = 'network') {
  const random = new SeededRandom(seed)
  const time = new VirtualTime({ startAt: wallMs(1_700_000_000_000), turns: turnsOfLoop })
  const network = new VirtualNetwork({ timers: time, random: random.fork('network') })
  return { time, network, random }
}

/** Answers each request with its path, after a while; keeps what it heard. */
export class Echo implements Listener {
  readonly heard: string[] = []
  readonly closers: (() => void)[] = []
  readonly #reply: (run: () => void) => void

  constructor(reply: (run: () => void) => void = (run) => run()) {
    this.#reply = reply
  }

  accept(): Accepted {
    return {
      request: ({ path }, reply) => {
        this.heard.push(path)
        this.#reply(() => reply({ status: 200, body: path }))
      },
      closed: () => void this.heard.push('closed'),
      bind: (close) => void this.closers.push(close),
    }
  }
}

/** What became of a dial within a second. */
export async function dialled(
  { time, network }: { readonly time: VirtualTime; readonly network: Network },
  host: string,
): Promise<Dialled | undefined> {
  let found: Dialled | undefined
  network.dial({ host, port: 80 }, (answer) => {
    found = answer
  })
  await time.advance(1_000)
  return found
}

export async function opened(
  parts: { readonly time: VirtualTime; readonly network: Network },
  host: string,
): Promise<Connection> {
  const answer = await dialled(parts, host)
  if (answer?.kind !== 'open') throw new Error(`a connection to ${host}: ${answer?.kind ?? 'no answer'}`)
  return answer.connection
}
