import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import type { TestContext } from 'node:test'
import { systemClock as clock } from '../../../../../src/ground/machine/system-clock.ts'
import type { Node } from '../../../../../src/ground/model/node.ts'
import type { Cluster } from '../../../../../src/ground/ports/cluster.ts'
import { CommandBalancer } from '../../../../../src/service/actuators/commands/io/command-balancer.ts'
import type { ServerReading, ServerRef } from '../../../../../src/service/model/balancer.ts'
import type { BalancerCommands } from '../../../../../src/service/model/balancer-commands.ts'
import { aNode } from '../../../../support/roll-world.ts'
import { SeededRandom } from '../../../../support/seeded-random.ts'
import { StandInCommands } from '../../../../support/stand-in-command.ts'

interface Given {
  /** What each script does, as shell; `$1` is the node. */
  readonly status?: string
  readonly detach?: string
  readonly attach?: string
  readonly change?: Partial<BalancerCommands>
  readonly nodes?: readonly Node[]
}

const never = new AbortController().signal

/** A balancer of scripts, which write down that they ran. */
export async function aCommandBalancer(t: TestContext, given: Given) {
  const { status = 'echo \'{"state":"in"}\'', detach = 'exit 0', attach = 'exit 0', change, nodes } = given
  const commands = await StandInCommands.make(t)
  const at = commands.directory
  const words = async (name: string, body: string): Promise<readonly string[]> => [
    await commands.script(name, `cd '${at}'; echo ${name} "$@" >> ran; ${body}`),
    '{node}',
    '{address}:{port}',
  ]
  const spec: BalancerCommands = {
    detach: await words('detach', detach),
    attach: await words('attach', attach),
    status: await words('status', status),
    dataPort: 443,
    timeoutMs: 2_000,
    intervalMs: 60_000,
    ...change,
  }
  const cluster = { list: async () => nodes ?? [aNode('n1'), aNode('n2')] } as unknown as Pick<Cluster, 'list'>
  const balancer = new CommandBalancer({
    spec: {
      name: 'edge',
      instances: ['edge'],
      backends: ['nodes'],
      allowLastServer: false,
      via: { kind: 'commands', ...spec },
    },
    cluster,
    clock,
    random: new SeededRandom(1),
    searchPath: process.env.PATH ?? '',
  })
  t.after(() => balancer.close())
  const ran = async (): Promise<readonly string[]> =>
    (await readFile(join(at, 'ran'), 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')
  const read = async (own: readonly ServerRef[] = []): Promise<readonly ServerReading[]> =>
    (await balancer.read('edge', never, own)).servers
  return { balancer, at, ran, read }
}
