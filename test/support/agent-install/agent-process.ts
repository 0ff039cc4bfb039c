import type { InstallBed } from './install-bed.ts'

/** What the kernel says of the one agent on a node. */
interface AgentProcess {
  readonly pid: number
  /** Of /proc/PID/status: `Uid`, `CapEff`, `VmRSS`, … */
  readonly status: Readonly<Record<string, string>>
  /** Options of what is mounted where, as its own mount namespace has it. */
  readonly mounts: Readonly<Record<string, string>>
}

type Part = 'agent' | 'controller'

const find = (part: Part): string => `for folder in /proc/[0-9]*; do
  tr '\\0' ' ' <$folder/cmdline 2>/dev/null | grep -q '^/usr/bin/node .*evenkeel.cjs ${part} ' || continue
  echo "PID \${folder#/proc/}"; cat $folder/status; echo MOUNTS; cat $folder/mountinfo
done`

export async function agentProcess({ bed }: InstallBed, node: string, part: Part = 'agent'): Promise<AgentProcess> {
  const { stdout } = await bed.exec(node, ['sh', '-c', find(part)])
  const processes = stdout.split(/^PID /m).slice(1)
  const [text = ''] = processes
  if (processes.length !== 1) throw new Error(`${processes.length} processes of the ${part} run on ${node}`)
  const [head = '', mounts = ''] = text.split('MOUNTS\n')
  const [pid = '', ...lines] = head.split('\n')
  return {
    pid: Number(pid),
    status: Object.fromEntries(lines.map((line) => line.split(':\t')).map(([key = '', value = '']) => [key, value])),
    mounts: Object.fromEntries(
      mounts
        .trim()
        .split('\n')
        .map((line) => line.split(' '))
        .map((words) => [words[4], words[5] ?? '']),
    ),
  }
}
