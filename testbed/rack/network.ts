import { writeFileSync } from 'node:fs'
import { hubAddress, hubHardwareAddress, nodeAddress, nodeHardwareAddress, nodePodRange } from '../addresses.ts'
import { run, runToEnd } from '../machine/run.ts'

const HUB = 'hub'

/** Makes the bridge that the nodes are plugged into, and the ways to their pods. */
export async function makeHub(nodes: readonly string[]): Promise<void> {
  await batch([
    'link set lo up',
    `link add ${HUB} address ${hubHardwareAddress} type bridge`,
    `address add ${hubAddress}/24 dev ${HUB}`,
    `link set ${HUB} up`,
    ...nodes.map((node) => `route add ${nodePodRange(node)} via ${nodeAddress(node)}`),
  ])
  // Nothing that a node sends beyond the bed is to be passed on, whatever the machine passes on.
  writeFileSync('/proc/sys/net/ipv4/ip_forward', '0')
}

interface Cable {
  readonly node: string
  /** A process in the node's network namespace. */
  readonly pid: number
  readonly peers: readonly string[]
  readonly plugged: boolean
}

/** Gives a node that is starting its network card, and plugs it in. */
export async function layCable({ node, pid, peers, plugged }: Cable): Promise<void> {
  const card = `eth0 netns ${pid} address ${nodeHardwareAddress(node)}`
  await batch([
    `link add ${node} type veth peer name ${card}`,
    `link set ${node} master ${HUB}`,
    `link set ${node} ${plugged ? 'up' : 'down'}`,
  ])
  const others = peers.filter((peer) => peer !== node)
  await batch(
    [
      'link set lo up',
      'link set eth0 up',
      `address add ${nodeAddress(node)}/24 dev eth0`,
      `route add default via ${hubAddress}`,
      ...others.map((peer) => `route add ${nodePodRange(peer)} via ${nodeAddress(peer)}`),
    ],
    ['nsenter', '-t', String(pid), '-n', '--'],
  )
}

/** Not there when it was asked for, or gone before it could be taken. */
const GONE = /Cannot find device|No such device/

/**
 * Takes the cable away with both its ends, so that a dark node is silent: connects to it time out. The kernel does the
 * same when it clears the namespace of a dead node, but in its own time.
 */
export async function removeCable(node: string): Promise<void> {
  const { code, stderr } = await runToEnd(['ip', 'link', 'del', node])
  if (code !== 0 && !GONE.test(stderr)) throw new Error(`ip link del ${node}: ${stderr.trim()}`)
}

export async function setPlugged(node: string, plugged: boolean): Promise<void> {
  await run(['ip', 'link', 'set', node, plugged ? 'up' : 'down'])
}

function batch(lines: readonly string[], prefix: readonly string[] = []): Promise<string> {
  return run([...prefix, 'ip', '-batch', '-'], { stdin: `${lines.join('\n')}\n` })
}
