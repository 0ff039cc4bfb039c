import type { Accepted, Connection } from '../../../src/sim/network/network.ts'
import type { BalancerDoor, DoorAnswer, DoorClient } from '../../contract/balancer/balancer-door.ts'

/** A client's connection to an embedded balancer. */
export function clientOn(connection: Connection, until: BalancerDoor['until']): DoorClient {
  return {
    begin: (path, cookie) => {
      let answer: DoorAnswer | 'closed' | undefined
      connection.send({ path, ...(cookie === undefined ? {} : { cookie }) }, (reply) => {
        if (reply === 'broken') answer = 'closed'
        else {
          const { status, closes = false, setCookie } = reply
          answer = { status, closes, ...(setCookie === undefined ? {} : { cookie: setCookie }) }
        }
      })
      return {
        answer: async () => {
          await until('an answer', () => answer !== undefined)
          return answer ?? 'closed'
        },
      }
    },
    isOpen: async () => connection.isOpen,
    close: () => connection.close(),
  }
}

/** An agent of a server: the line is all that it says. */
export const agentSaying = (line: () => string): Accepted => ({
  bind: () => undefined,
  request: (_, reply) => reply({ status: 200, body: `${line()}\n` }),
  closed: () => undefined,
})
