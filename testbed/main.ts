import { nodesMax } from './addresses.ts'
import { ensureBuilt } from './build.ts'
import { kubeconfigPath, withBed } from './cli/control.ts'
import { down } from './cli/down.ts'
import { up } from './cli/up.ts'
import { missingForUp } from './requirements.ts'

const HELP = `A real Kubernetes cluster on this machine, in namespaces that leave nothing behind.

  npm run testbed -- up [N]                 bring up N nodes (3; 0 for the control plane alone)
  npm run testbed -- down                   end it
  npm run testbed -- reboot NODE [--hard]   reboot politely, or by a power cycle
  npm run testbed -- power-off NODE         cut the power
  npm run testbed -- power-on NODE
  npm run testbed -- exec NODE COMMAND...   run a command on a node as root
  npm run testbed -- kubeconfig             print the path of the kubeconfig
  npm run testbed -- build                  build what the beds are made of (minutes, once per version)
`

/** A call that cannot be understood. */
class UsageError extends Error {}

/** Each command takes its arguments and gives the exit code. */
const COMMANDS: Readonly<Record<string, (args: readonly string[]) => Promise<number>>> = {
  async build() {
    const [lacking] = missingForUp()
    if (lacking !== undefined) throw new Error(lacking)
    say((await ensureBuilt(say)).programs)
    return 0
  },
  async up([count = '3']) {
    const nodes = Number(count)
    if (!Number.isInteger(nodes) || nodes < 0 || nodes > nodesMax)
      throw new UsageError(`up takes 0 to ${nodesMax} nodes`)
    const startedMs = performance.now()
    const path = await up(nodes, say)
    say(`up after ${((performance.now() - startedMs) / 1000).toFixed(1)} s: export KUBECONFIG=${path}`)
    return 0
  },
  async down() {
    say((await down()) ? 'down' : 'no bed was up')
    return 0
  },
  async reboot([node, flag]) {
    if (flag !== undefined && flag !== '--hard') throw new UsageError(`reboot knows no ${flag}`)
    await withBed((bed) => bed.ask('reboot', { node: required(node), hard: flag === '--hard' }))
    return 0
  },
  async 'power-off'([node]) {
    await withBed((bed) => bed.ask('powerOff', { node: required(node) }))
    return 0
  },
  async 'power-on'([node]) {
    await withBed((bed) => bed.ask('powerOn', { node: required(node) }))
    return 0
  },
  async exec([node, ...argv]) {
    if (argv.length === 0) throw new UsageError('exec needs a node and a command')
    const result = await withBed((bed) => bed.ask('exec', { node: required(node), argv }))
    process.stdout.write(result.stdout)
    process.stderr.write(result.stderr)
    return result.code < 0 ? 1 : result.code
  },
  async kubeconfig() {
    say(kubeconfigPath())
    return 0
  },
}

function required(node: string | undefined): string {
  if (node === undefined) throw new UsageError('which node? n1, n2, …')
  return node
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

async function main([name, ...args]: readonly string[]): Promise<number> {
  if (name === undefined || name === '--help' || name === 'help' || args[0] === '--help') {
    process.stdout.write(HELP)
    return name === undefined ? 2 : 0
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  try {
    if (command === undefined) throw new UsageError(`there is no command ${name}; see --help`)
    return await command(args)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}

process.exitCode = await main(process.argv.slice(2))
