import { Program } from './roll-bed/program.ts'

const NODE_ADDRESS = '10.78.0.1'
const PORT = 30_443

/** A port of a node that rules lead into a pod, as a CNI's `portmap` does; and a client on another machine. */
const NETWORK = `
other() { # NAME OF-NODE OWN: a network beside the node's, whose process it prints
  unshare --net -- setpriv --pdeathsig KILL -- sleep infinity & pid=$!
  while [ "$(readlink /proc/$pid/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do :; done
  ip link add "$1" type veth peer name eth0 netns $pid
  ip addr add "$2/24" dev "$1"
  ip link set "$1" up
  nsenter -t $pid -n -- sh -ec "ip link set lo up; ip addr add $3/24 dev eth0; ip link set eth0 up; ip route add default via $2"
  pids="$pids $pid"
}
set -e
ip link set lo up
other client ${NODE_ADDRESS} 10.78.0.2
other pod 10.79.0.1 10.79.0.2
echo 1 > /proc/sys/net/ipv4/ip_forward
echo 1 > /proc/sys/net/ipv4/conf/all/route_localnet
for chain in PREROUTING OUTPUT; do
  iptables -t nat -A $chain -p tcp --dport ${PORT} -m addrtype --dst-type LOCAL -j DNAT --to-destination 10.79.0.2:8080
done
iptables -t nat -A POSTROUTING -s 127.0.0.1 -j MASQUERADE
echo $$ $pids
exec sleep infinity`

const SERVER = `require('node:net').createServer((socket) => socket.on('error', () => {}).resume())
  .listen(8080, () => console.log('listens'))`
const CLIENT = `require('node:net').connect(${PORT}, '${NODE_ADDRESS}', () => console.log('open'))`

type Place = 'node' | 'client' | 'pod'

/** Three machines in network namespaces, gone with the process that holds them. */
export class ForwardedPort {
  readonly port = PORT
  readonly #programs: Program[] = []
  #pids: Readonly<Record<Place, string>> = { node: '', client: '', pod: '' }

  static async open(): Promise<ForwardedPort> {
    const network = new ForwardedPort()
    try {
      const line = await network.#begun(['unshare', '--net', '--', 'sh', '-c', NETWORK])
      const [node = '', client = '', pod = ''] = line.split(' ')
      network.#pids = { node, client, pod }
      await network.#begun(network.enter('pod', [process.execPath, '-e', SERVER]))
      return network
    } catch (error) {
      network.close()
      throw error
    }
  }

  /** Closes the connection when it is killed. */
  async connected(): Promise<Program> {
    await this.#begun(this.enter('client', [process.execPath, '-e', CLIENT]))
    const [client] = this.#programs.slice(-1)
    if (client === undefined) throw new Error('no client')
    return client
  }

  enter(place: Place, argv: readonly string[]): readonly string[] {
    return ['nsenter', `--net=/proc/${this.#pids[place]}/ns/net`, '--', ...argv]
  }

  close(): void {
    for (const program of this.#programs.toReversed()) program.kill('SIGKILL')
  }

  /** What it says first. */
  async #begun(argv: readonly string[]): Promise<string> {
    const said = Promise.withResolvers<string>()
    const program = new Program(argv, { onLine: said.resolve })
    this.#programs.push(program)
    const gone = program.ended().then(({ stderr }) => {
      throw new Error(`${argv[0]} ended: ${stderr}`)
    })
    gone.catch(() => undefined)
    return Promise.race([said.promise, gone])
  }
}
