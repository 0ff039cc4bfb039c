import { isReportedBootId } from '../../../ground/model/boot-id.ts'
import type { HostHop, HostReading } from '../../../ground/model/host.ts'
import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import { shellWord } from '../../../ground/model/posix-quote.ts'
import type { HostInquiry, MachineNode } from './host-inquiry.ts'

/** How the roll calls ssh: `reboot.ssh` of the file. */
export interface SshWay {
  readonly configFile?: string
  readonly user?: string
}

/** The command by which a person logs in as the roll does. */
const loginAs = ({ configFile, user }: SshWay = {}): readonly string[] => [
  'ssh',
  ...(configFile === undefined ? [] : ['-F', shellWord(configFile)]),
  ...(user === undefined ? [] : ['-l', shellWord(user)]),
]

/** A login that asks no question, like the roll's own. */
const tryLogin = (host: string, way?: SshWay): string =>
  [...loginAs(way), '-o', 'BatchMode=yes', host, 'true'].join(' ')

export interface HostsAround {
  readonly ssh?: SshWay
  /** The boot id of the machine that this process runs on, if it can be read. */
  readonly ownBootId: string | undefined
  /** The node of the roll's own pod, which leaves before that node is rebooted. */
  readonly leaves?: string | undefined
  /** Every node of the cluster. */
  readonly all: readonly MachineNode[]
}

/**
 * What forbids a reboot of these machines: one cannot be asked, may not reboot, or is not the machine that the API means; this
 * process runs on one; or one is the way to another, and its reboot would cut that way.
 */
export function hostFindings(inquiries: readonly HostInquiry[], around: HostsAround): readonly PlanFinding[] {
  const rolled = new Set(inquiries.map(({ node }) => node.name))
  return inquiries.flatMap((inquiry) => [
    ...ownMachine(inquiry, around),
    ...(inquiry.answer.kind === 'failed'
      ? [unreachable(inquiry, inquiry.answer, around.ssh)]
      : [
          ...wrongMachine(inquiry, inquiry.answer.reading),
          ...mayNot(inquiry, inquiry.answer.reading),
          ...nodesOnTheWay(inquiry, inquiry.answer.reading, around.all).map(({ hop, other }) =>
            behind(inquiry.node.name, wayText(hop, other), rolled.has(other.name)),
          ),
        ]),
  ])
}

const error = (finding: Omit<PlanFinding, 'severity'>): PlanFinding => ({ severity: 'error', ...finding })

function ownMachine({ node, answer }: HostInquiry, { ownBootId, leaves }: HostsAround): readonly PlanFinding[] {
  if (ownBootId === undefined || node.name === leaves) return []
  const answered = answer.kind === 'answered' ? answer.reading.bootId : undefined
  if (ownBootId !== answered && ownBootId !== node.bootId) return []
  const text = `this process runs on ${node.name}, and its reboot would end the roll half-way`
  const fix = 'run the roll from a machine that is not rolled, leave the node out, or name the pod of a Job with --pod'
  return [error({ node: node.name, code: 'HostIsOurs', text, fix })]
}

const FIXES: Readonly<Record<string, (node: string, way?: SshWay) => string>> = {
  HOST_KEY: (node, way) =>
    `log in with "${[...loginAs(way), node].join(' ')}" once, compare the host key, and accept it`,
  HOST_DENIED: (node, way) => `make "${tryLogin(node, way)}" succeed: a key in the ssh agent, or reboot.ssh.user`,
  HOST_UNRESOLVED: (node) => `add "Host ${node}" with a HostName to your ssh configuration`,
  HOST_NO_SSH: () => 'install an OpenSSH client',
  HOST_SSH_CONFIG: () => 'correct the ssh configuration, or set another one as reboot.ssh.configFile',
}

/** What to do about a machine that ssh did not reach, by the code of the failure. */
export const reachFix = (code: string, host: string, way?: SshWay): string =>
  FIXES[code]?.(host, way) ?? `make "${tryLogin(host, way)}" succeed`

function unreachable(
  { node: { name } }: HostInquiry,
  { code, text }: { readonly code: string; readonly text: string },
  way: SshWay | undefined,
): PlanFinding {
  return error({ node: name, code, text, fix: reachFix(code, name, way) })
}

function wrongMachine({ node }: HostInquiry, { bootId }: HostReading): readonly PlanFinding[] {
  if (bootId === node.bootId) return []
  if (bootId === undefined) {
    if (!isReportedBootId(node.bootId)) return [noBootId(node)]
    const text = `the plan cannot read the boot id of ${node.name}, so only the reboot command can check it`
    return [{ severity: 'warning', code: 'HostNotAsked', node: node.name, text }]
  }
  const text = `the machine that answers as ${node.name} has boot id ${bootId}; the API shows ${node.bootId || 'none'}`
  const fix =
    'make ssh reach the node itself; right after a reboot, wait until the kubelet has reported the new boot id'
  return [error({ node: node.name, code: 'HostIsAnother', text, fix })]
}

/** A reboot command acts on a boot id alone, and is told none but in a known form. */
const noBootId = ({ name, bootId }: MachineNode): PlanFinding =>
  error({
    node: name,
    code: 'HostMayNotReboot',
    text: `${name} cannot be rebooted this way: the API shows ${bootId === '' ? 'no boot id' : 'a boot id of no known form'}`,
    fix: 'let its kubelet report a boot id (status.nodeInfo.bootID), or leave the node out',
  })

const FIX_COMMAND = 'change the command of "reboot" in the file or reboot.ssh.user, or allow it in sudoers'

function mayNot({ node }: HostInquiry, { mayReboot, refusal, fix = FIX_COMMAND }: HostReading): readonly PlanFinding[] {
  if (mayReboot) return []
  const text = `${node.name} cannot be rebooted this way: ${refusal ?? 'it gave no reason'}`
  return [error({ node: node.name, code: 'HostMayNotReboot', text, fix })]
}

interface NodeOnTheWay {
  readonly hop: HostHop
  readonly other: MachineNode
}

const nodesOnTheWay = (
  { node }: HostInquiry,
  { hops }: HostReading,
  all: readonly MachineNode[],
): readonly NodeOnTheWay[] =>
  hops.flatMap((hop) =>
    all.filter((other) => other.name !== node.name && isNode(hop, other)).map((other) => ({ hop, other })),
  )

const isNode = (hop: HostHop, node: MachineNode): boolean =>
  [hop.name, ...hop.addresses].some((text) => text === node.name || node.internalAddresses.includes(text))

const wayText = (hop: HostHop, other: MachineNode): string =>
  hop.name === other.name ? `node ${other.name}` : `${hop.name}, which is node ${other.name}`

/** A node on the way that is not rolled stays up; the finding is for a user who might roll it meanwhile. */
function behind(node: string, way: string, rolled: boolean): PlanFinding {
  const text = `ssh reaches ${node} through ${way}`
  if (!rolled) return { severity: 'warning', code: 'HostBehindNode', node, text: `${text}, which must stay up` }
  const fix = `reach ${node} through a machine that is not rolled (ProxyJump in the ssh configuration)`
  return error({ node, code: 'HostBehindNode', text: `${text}, which is rolled as well`, fix })
}
