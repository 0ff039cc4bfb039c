/** Asks a port of this machine again and again, as the agent does, and prints how many others are connected to it: `PORT`. */
import { setTimeout as later } from 'node:timers/promises'
import { OwnProbes } from '../../src/agent/io/own-probes.ts'
import { TrackedConnections } from '../../src/agent/io/tracked-connections.ts'
import { ownAddresses } from '../../src/ground/machine/own-addresses.ts'
import { systemClock } from '../../src/ground/machine/system-clock.ts'
import { TcpDataPort } from '../../src/ground/machine/tcp-data-port.ts'

const EVERY_MS = 20
const never = new AbortController().signal
const port = Number(process.argv[2])
const probes = new OwnProbes(systemClock)
const dataPort = new TcpDataPort((from) => probes.connectedFrom(from))
const isOwn = probes.has.bind(probes)
const tracked = new TrackedConnections({
  port,
  isOwn,
  lastOwnPorts: () => probes.lastPorts(),
  addresses: ownAddresses,
  clock: systemClock,
})
for (;;) {
  const answers = await dataPort.answers({ address: '127.0.0.1', port }, never)
  const seen = answers ? await tracked.count(never) : undefined
  process.stdout.write(`${answers ? (seen === undefined || seen === 'soon' ? 'unknown' : seen.open) : 'no answer'}\n`)
  await later(EVERY_MS)
}
