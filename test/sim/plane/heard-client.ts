import type { VirtualTime } from '../../../src/sim/clocks/virtual-time.ts'
import type { Connection, Destination, Network, NetworkReply } from '../../../src/sim/network/network.ts'

interface HeardClientParts {
  readonly network: Pick<Network, 'dial'>
  readonly time: VirtualTime
  /** Told of every answer, and of what became of a connection. */
  readonly say: (what: string) => void
}

const textOf = ({ status, body, closes }: NetworkReply): string =>
  `${status} ${body.trim()}${closes === true ? ', closes' : ''}`

/** A client of apps that says what it hears. */
export function heardClient({ network, time, say }: HeardClientParts) {
  const ask = (connection: Connection, path = '/'): void =>
    connection.send({ path }, (reply) => say(reply === 'broken' ? reply : textOf(reply)))
  const open = async (to: Destination): Promise<Connection> => {
    const found: Connection[] = []
    network.dial(to, (dialled) => {
      if (dialled.kind === 'open') found.push(dialled.connection)
      else say(dialled.kind)
    })
    await time.advance(1)
    const [connection] = found
    if (connection === undefined) throw new Error('not open')
    connection.onClosed(() => say('closed'))
    return connection
  }
  return { ask, open }
}
