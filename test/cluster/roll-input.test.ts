import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { tryLock } from '../../src/ground/machine/file-lock.ts'
import { newAuthority } from '../../testbed/pki/authority.ts'
import { requires } from '../support/requires.ts'
import { Program, type ProgramEnd } from '../support/roll-bed/program.ts'
import { auditedRequests } from '../support/roll-input/audited-requests.ts'
import { InputGround } from '../support/roll-input/input-ground.ts'
import { assertRefused, begun, type InputRow, type StoredJournal, withJson } from '../support/roll-input/input-row.ts'
import { fileLines, worldLines } from '../support/roll-input/untouched.ts'

const REACHED = '1 error in the plan for '

const NODES: readonly InputRow[] = [
  {
    title: 'a node that the cluster does not have',
    words: (ground) => begun(ground.file(), 'n1', 'n9'),
    code: 'plan.refused',
    names: ['there is no node n9 (NodeUnknown)', REACHED],
    fix: 'the cluster has: n1, n2, n3',
  },
  {
    title: 'a selector that no node bears',
    words: (ground) => begun(ground.file(), '-l', 'disk=tape'),
    code: 'plan.refused',
    names: ['no node has the labels of the selector (NoNodes)', REACHED],
    fix: 'correct the selector; kubectl get nodes --show-labels shows the labels of every node',
  },
  {
    title: 'a node that no balancer sends to',
    words: (ground) => {
      const instances = [{ name: 'lb-1', socket: ground.odd.admin }]
      return begun(ground.file({ balancers: [{ name: 'lb', instances, backends: ['others'] }] }))
    },
    code: 'plan.refused',
    names: [
      'n1 (10.77.0.11) matches no server of any balancer, so nothing would be detached (NodeUnbalanced)',
      REACHED,
    ],
    fix: 'add its backend under "balancers", or set nodes.allowUnbalanced',
  },
  {
    title: 'a pod that would lose its data',
    words: (ground) => begun(ground.file(), 'n2'),
    code: 'plan.refused',
    names: ['n2: default/cache-', ' keeps data in an emptyDir, which is lost when it moves (PodEmptyDir)', REACHED],
    fix: 'set drain.deleteEmptyDirData: true to delete such data',
  },
  {
    title: 'a pod that nothing would replace',
    words: (ground) => begun(ground.file(), 'n3'),
    code: 'plan.refused',
    names: ['n3: default/lonely has no controller that would replace it (PodUnmanaged)', '2 errors in the plan for '],
    fix: 'set drain.deleteUnmanaged: true to delete such pods',
  },
  {
    title: 'a node with a record that cannot be read',
    words: (ground) => begun(ground.file({ drain: { deleteUnmanaged: true } }), 'n3'),
    code: 'plan.refused',
    names: ['n3 carries a record that cannot be read: its version is undefined, not 1 (NodeRecorded)', REACHED],
    fix: 'put n3 back by hand (docs/put-a-node-back.md), then: kubectl annotate node n3 evenkeel.dev/record-',
  },
]

const overSsh = (configFile: string, command = 'systemctl'): Readonly<Record<string, unknown>> => ({
  reboot: { ssh: { configFile, command: [command, 'reboot'] } },
})

/** The bed's ssh configuration with something written before it, which then counts. */
const sshFirst = (ground: InputGround, lines: string): string =>
  ground.write('config', `${lines}\n${readFileSync(ground.roll.bed.sshConfig, 'utf8')}`)

const MACHINES: readonly InputRow[] = [
  {
    title: 'an ssh key that opens nothing',
    words: (ground) => {
      const hostKey = `${ground.roll.bed.dir}/ssh/n2_host_key`
      const config = readFileSync(ground.roll.bed.sshConfig, 'utf8').replace(
        /IdentityFile .*/,
        `IdentityFile ${hostKey}`,
      )
      return begun(ground.file(overSsh(ground.write('config', config))))
    },
    code: 'plan.refused',
    names: [
      'ssh n1: ',
      'Permission denied (publickey',
      '(HOST_DENIED)',
      REACHED,
      '-o BatchMode=yes n1 true" succeed: a key',
    ],
    fix: 'make "ssh -F ',
  },
  {
    title: 'a machine that ssh does not know',
    words: (ground) => begun(ground.file(overSsh(sshFirst(ground, 'Host n1\n  HostName n1.invalid\n')))),
    code: 'plan.refused',
    names: ['ssh n1: ', 'Could not resolve hostname n1.invalid', '(HOST_UNRESOLVED)', REACHED],
    fix: 'add "Host n1" with a HostName to your ssh configuration',
  },
  {
    title: 'a machine that bears another host key',
    words: (ground) => begun(ground.file(overSsh(sshFirst(ground, 'Host n1\n  HostKeyAlias n2\n')))),
    code: 'plan.refused',
    names: ['ssh n1: ', '(HOST_KEY)', REACHED, ' n1" once, compare the host key, and accept it'],
    fix: 'log in with "ssh -F ',
  },
  {
    title: 'a way by ssh that leads to another node',
    words: (ground) => begun(ground.file(overSsh(sshFirst(ground, 'Host n1\n  HostName 10.77.0.12\n')))),
    code: 'plan.refused',
    names: ['the machine that answers as n1 has boot id ', '(HostIsAnother)', REACHED],
    fix: 'make ssh reach the node itself; right after a reboot, wait until the kubelet has reported the new boot id',
  },
  {
    title: 'an ssh configuration that is not there',
    words: (ground) => begun(ground.file(overSsh('/nowhere/config'))),
    code: 'plan.refused',
    names: ['ssh n1: ', '/nowhere/config', '(HOST_SSH_CONFIG)', REACHED],
    fix: 'correct the ssh configuration, or set another one as reboot.ssh.configFile',
  },
  {
    title: 'a reboot command that the node does not have',
    words: (ground) => begun(ground.file(overSsh(ground.roll.bed.sshConfig, 'systemctrl'))),
    code: 'plan.refused',
    names: ['n1 cannot be rebooted this way: there is no command systemctrl (HostMayNotReboot)', REACHED],
    fix: 'change the command of "reboot" in the file or reboot.ssh.user, or allow it in sudoers',
  },
]

/** The nodes that are meant, what runs on them, and the machines under them. */
const NODE_ROWS: readonly InputRow[] = [...NODES, ...MACHINES]

const RUN = '20261121T061439Z-1f0e'
const OLDER = '20261120T061439Z-77aa'

const header = (run: string, cluster: string, v = 1): string =>
  `${JSON.stringify({ at: '2026-11-21T06:14:39.000Z', type: 'journal', v, run, cluster, tool: '0.1.0' })}\n`

const stored = (run: string, text: string): readonly StoredJournal[] => [{ run, text }]

const OTHER_CLUSTER = '00000000-0000-4000-8000-000000000000'
const NONE: Pick<InputRow, 'code' | 'names' | 'fix'> = {
  code: 'journal.none',
  names: ['there is no journal of a roll in '],
  fix: 'name the place of the journals with --state-dir, or begin a roll: evenkeel roll -f roll.yaml; if the journal is lost: evenkeel roll abort -f roll.yaml',
}
const OTHER_VERSION: Pick<InputRow, 'code' | 'names' | 'fix'> = {
  code: 'journal.version',
  names: [`the journal of run ${RUN} has format 2; this Even Keel reads format 1`],
  fix: 'use the version of Even Keel that began the run',
}
const newer = ({ clusterUid }: InputGround): readonly StoredJournal[] => stored(RUN, header(RUN, clusterUid, 2))

const NO_JOURNAL: readonly InputRow[] = ['resume', 'abort', 'status', 'report'].map((name) => ({
  title: `no journal to ${name}`,
  words: () => ['roll', name],
  ...NONE,
}))

/** The journal of a run to go on with, or the place for a new one. */
const JOURNAL_ROWS: readonly InputRow[] = [
  ...NO_JOURNAL,
  {
    title: 'a run that is not there',
    words: () => ['roll', 'resume', RUN],
    journals: ({ clusterUid }) => stored(OLDER, header(OLDER, clusterUid)),
    code: 'journal.unknown-run',
    names: [`no run "${RUN}" in /`],
    fix: `name the place of its journal with --state-dir; if the journal is lost: evenkeel roll abort ${RUN} -f roll.yaml`,
  },
  {
    title: 'a run that would lead out of the state directory',
    words: () => ['roll', 'abort', '../../etc'],
    code: 'journal.unknown-run',
    names: ['no run "../../etc" in /'],
    fix: 'name the run as evenkeel roll list shows it; without a name it is the run begun last',
  },
  ...['resume', 'abort'].map((name) => ({
    title: `the journal of another cluster to ${name}`,
    words: () => ['roll', name, RUN],
    journals: () => stored(RUN, header(RUN, OTHER_CLUSTER)),
    code: 'journal.other-cluster',
    names: [`run ${RUN} belongs to cluster ${OTHER_CLUSTER}; this is `],
    fix: 'choose the context of the cluster on which the run was begun',
  })),
  {
    title: 'the journal of another version',
    words: () => ['roll', 'resume', RUN],
    journals: newer,
    ...OTHER_VERSION,
  },
  {
    title: 'the journal of another version, as the newest there is',
    words: () => ['roll', 'resume'],
    journals: (ground) => [...stored(OLDER, header(OLDER, ground.clusterUid)), ...newer(ground)],
    ...OTHER_VERSION,
  },
  {
    title: 'a journal that another process works on',
    words: () => ['roll', 'resume'],
    journals: ({ clusterUid }) => [{ run: RUN, text: header(RUN, clusterUid), inUse: true }],
    code: 'journal.in-use',
    names: [`another process works on run ${RUN}`],
    fix: 'wait until it has ended, or stop it with Ctrl-C',
  },
  {
    title: 'a journal with a line that is none',
    words: () => ['roll', 'resume'],
    journals: ({ clusterUid }) => {
      const entry = '{"at":"2026-11-21T06:14:39.000Z","type":"planned"}\n'
      return stored(RUN, `${header(RUN, clusterUid)}what?\n${entry}`)
    },
    code: 'journal.damaged',
    names: [`/${RUN}/journal.jsonl cannot be trusted: line 2 is not an entry, and others follow it`],
    fix: 'restore the file; or move its directory away, then: evenkeel roll abort -f roll.yaml',
  },
  {
    title: 'a journal that ends before its plan',
    words: () => ['roll', 'resume'],
    journals: ({ clusterUid }) => stored(RUN, header(RUN, clusterUid)),
    code: 'journal.no-plan',
    names: [`the journal of run ${RUN} ends before its plan: nothing was begun`],
    fix: 'begin a new roll',
  },
  {
    title: 'a state directory that cannot be made',
    words: (ground) => begun(ground.file(), '--state-dir', `${ground.write('file', '')}/state`),
    code: 'journal.state-dir',
    names: ['cannot use /', ' for the journal: ENOTDIR'],
    fix: 'choose a directory of your own with --state-dir',
  },
  {
    title: 'a file for the events that cannot be written',
    words: (ground) => begun(ground.file(), '--events', '/nowhere/events.jsonl'),
    code: 'file.write',
    names: ['cannot write /nowhere/events.jsonl: no such file or directory (ENOENT)'],
    fix: 'name a file that can be written',
  },
]

const words = (ground: InputGround): readonly string[] => begun(ground.file())

const KUBECONFIG: readonly InputRow[] = [
  {
    title: 'a kubeconfig that is not there',
    words,
    kubeconfig: () => '/nowhere/kubeconfig',
    code: 'KUBECONFIG_MISSING',
    names: ['there is no kubeconfig /nowhere/kubeconfig'],
    fix: 'name the file with --kubeconfig or $KUBECONFIG',
  },
  {
    title: 'a kubeconfig that is no YAML',
    words,
    kubeconfig: (ground) =>
      ground.write('kubeconfig', 'apiVersion: v1\nclusters: [{name: a, cluster: {server: "https\n'),
    code: 'KUBECONFIG_BROKEN',
    names: ['kubeconfig /', 'cannot be understood: ', ' at line 3, column 1'],
    fix: 'correct /',
  },
  {
    title: 'a kubeconfig without the context that is asked for',
    words: (ground) => begun(ground.file(), '--context', 'prod-eu1'),
    code: 'KUBECONFIG_NO_CONTEXT',
    names: ['no context prod-eu1 in /'],
    fix: 'choose one with --context: testbed',
  },
  {
    title: 'a context that names a user that is not there',
    words,
    kubeconfig: (ground) => ground.changedKubeconfig((text) => text.replace('"user": "testbed"', '"user": "alice"')),
    code: 'KUBECONFIG_BROKEN',
    names: ['context testbed in /', 'names a user that is not there'],
    fix: 'correct it, or choose another with --context',
  },
]

const CONNECTION: readonly InputRow[] = [
  {
    title: 'a client certificate that has expired',
    words,
    kubeconfig: (ground) => ground.userKubeconfig('old', new Date('2020-01-02T03:04:05Z')),
    code: 'KUBE_CERTIFICATE_EXPIRED',
    names: ['the client certificate of CN=old expired on Jan  2 03:04:05 2020 GMT'],
    fix: 'renew it in the kubeconfig (kubeadm: `kubeadm certs renew admin.conf`)',
  },
  {
    title: 'an API server that refuses the connection',
    words,
    kubeconfig: (ground) => ground.changedKubeconfig((text) => text.replace('10.77.0.1:6443', '10.77.0.1:6444')),
    code: 'KUBE_UNREACHABLE',
    names: ['the API server at 10.77.0.1:6444 refuses the connection'],
    fix: 'check that the API server runs and that the kubeconfig names its port; or choose another --context',
  },
  {
    title: 'an API server whose name leads nowhere',
    words,
    kubeconfig: (ground) => ground.changedKubeconfig((text) => text.replace('10.77.0.1:6443', 'api.invalid:6443')),
    code: 'KUBE_UNREACHABLE',
    names: ["the API server's name api.invalid cannot be resolved"],
    fix: "check the server's name in the kubeconfig, and this machine's DNS",
  },
  {
    title: 'an authority that did not sign for the API server',
    words,
    kubeconfig: (ground) =>
      ground.changedKubeconfig((text) =>
        text.replace(/("certificate-authority-data": )"[^"]*"/, `$1"${OTHER_AUTHORITY}"`),
      ),
    code: 'KUBE_UNTRUSTED',
    names: ['the API server at 10.77.0.1:6443 is not trusted'],
    fix: 'check certificate-authority-data and tls-server-name in the kubeconfig',
  },
  {
    title: 'a token of an account that is gone',
    words,
    kubeconfig: (ground) => ground.goneKubeconfig,
    code: 'KUBE_UNAUTHORIZED',
    names: ['Unauthorized (HTTP 401)'],
    fix: 'renew the credential that the kubeconfig uses',
  },
]

const OTHER_AUTHORITY = Buffer.from(newAuthority().certificatePem).toString('base64')
const RBAC_FIX = 'kubectl apply -f deploy/roll-rbac.yaml, and bind it to this identity'

const RIGHTS: readonly InputRow[] = [
  {
    title: 'an identity without any right',
    words,
    kubeconfig: (ground) => ground.userKubeconfig('nobody'),
    code: 'KUBE_FORBIDDEN',
    names: ['get namespaces: namespaces "kube-system" is forbidden: User "nobody"'],
    fix: 'allow it to this identity (RBAC)',
  },
  {
    title: 'an identity that may not patch nodes',
    words,
    kubeconfig: (ground) => ground.userKubeconfig('no-patch'),
    code: 'plan.refused',
    names: ['error: this identity is not allowed to patch nodes (Forbidden)', '1 error in the plan for '],
    fix: RBAC_FIX,
  },
  {
    title: 'an identity that may not evict',
    words,
    kubeconfig: (ground) => ground.userKubeconfig('no-evict'),
    code: 'plan.refused',
    names: ['error: this identity is not allowed to create pods/eviction (Forbidden)', '1 error in the plan for '],
    fix: RBAC_FIX,
  },
  {
    title: 'an identity that may not have a slot',
    words,
    kubeconfig: (ground) => ground.userKubeconfig('no-slots'),
    code: 'plan.refused',
    names: [
      'error: this identity is not allowed to create leases.coordination.k8s.io in namespace evenkeel (Forbidden)',
      '1 error in the plan for ',
    ],
    fix: RBAC_FIX,
  },
  {
    title: 'an identity that may not list nodes',
    words,
    kubeconfig: (ground) => ground.userKubeconfig('no-list'),
    code: 'plan.refused',
    names: ['error: this identity is not allowed to list nodes (Forbidden)', '1 error in the plan for '],
    fix: RBAC_FIX,
    never: ['there is no node', 'no node is selected'],
  },
]

const SLOTS: readonly InputRow[] = [
  {
    title: 'a namespace of the slots that is not there',
    words: (ground) => begun(ground.file({ slots: { namespace: 'nowhere' } })),
    kubeconfig: (ground) => ground.administratorKubeconfig,
    code: 'plan.refused',
    names: [
      'error: there is no namespace nowhere, which "slots.namespace" names for the Lease of the slot (SlotNamespaceMissing)',
      '1 error in the plan for ',
    ],
    fix: 'kubectl create namespace nowhere, or set "slots.namespace" to one that exists',
  },
  {
    title: 'a namespace of the slots where this identity has no right',
    words: (ground) => begun(ground.file({ slots: { namespace: 'nowhere' } })),
    code: 'plan.refused',
    names: [
      'error: this identity is not allowed to create leases.coordination.k8s.io in namespace nowhere (Forbidden)',
      '3 errors in the plan for ',
    ],
    fix: `${RBAC_FIX}, with its Role evenkeel-slots in nowhere: the namespace of "slots.namespace" must exist`,
  },
  {
    title: 'a namespace of the slots that is going',
    words: (ground) => begun(ground.file({ slots: { namespace: 'going' } })),
    kubeconfig: (ground) => ground.administratorKubeconfig,
    code: 'plan.refused',
    names: [
      'error: the API server would not take Lease evenkeel-slot-0 in namespace going: ',
      'because it is being terminated',
      '1 error in the plan for ',
    ],
    fix: 'repair that, or set "slots.namespace" to another namespace',
  },
]

/** The cluster cannot be asked, or does not let us. */
const CLUSTER_ROWS: readonly InputRow[] = [...KUBECONFIG, ...CONNECTION, ...RIGHTS, ...SLOTS]

const balanced = (ground: InputGround, socket: string, backends: readonly string[]): readonly string[] =>
  begun(ground.file({ balancers: [{ name: 'lb', instances: [{ name: 'lb-1', socket }], backends }] }))

/** A balancer that cannot be asked, may not be set or must not be touched. */
const BALANCER_ROWS: readonly InputRow[] = [
  {
    title: 'a balancer socket that is not there',
    words: (ground) => balanced(ground, '/nowhere/haproxy.sock', ['web']),
    code: 'plan.refused',
    names: ['lb-1 (/nowhere/haproxy.sock): there is no such socket (BALANCER_UNREACHABLE)', '1 error in the plan for '],
    fix: 'check its address under "balancers", and that HAProxy runs and serves its runtime API there',
    never: ['matches no server'],
  },
  {
    title: 'a balancer socket that may only read',
    words: (ground) => balanced(ground, ground.odd.operator, ['web']),
    code: 'plan.refused',
    names: [
      'the runtime socket of lb-1 is of level operator and is not allowed to change states (BalancerNotAdmin)',
      '1 error in the plan for ',
    ],
    fix: 'give its "stats socket" line in haproxy.cfg "level admin", then reload HAProxy',
  },
  {
    title: 'a backend that is not there',
    words: (ground) => balanced(ground, ground.odd.admin, ['web', 'wbe']),
    code: 'plan.refused',
    names: ['backend wbe of lb-1 is not there or has no server (BalancerBackendMissing)', '1 error in the plan for '],
    fix: 'check the name, or take wbe out of "backends"',
  },
  {
    title: "a backend that leads to the API server's port",
    words: (ground) => balanced(ground, ground.odd.admin, ['web', 'control']),
    code: 'plan.refused',
    names: [
      'backend control of lb-1 looks like the Kubernetes API (a server at port 6443)',
      '1 error in the plan for ',
    ],
    fix: 'take control out of "backends"',
  },
  {
    title: 'a server that another program sets by an agent',
    words: (ground) => balanced(ground, ground.odd.admin, ['guarded']),
    code: 'plan.refused',
    names: ['guarded/n1 on lb-1 has an agent-check of another agent', '(BalancerAgentCheck)'],
    fix: 'take "agent-check" out of server n1 of backend guarded in haproxy.cfg of lb-1, then reload HAProxy ("disable agent guarded/n1" on the runtime socket is not enough: it lasts until a reload)',
  },
]

const real = requires('testbed')
const ROWS = [...CLUSTER_ROWS, ...BALANCER_ROWS, ...NODE_ROWS, ...JOURNAL_ROWS]

let opened: InputGround | undefined
let world: readonly string[] = []
const ground = (): InputGround => {
  assert.ok(opened)
  return opened
}

before(async () => {
  if (real.skip !== false) return
  opened = await InputGround.open()
  world = await worldLines(opened)
})
after(async () => opened?.close())

interface Surroundings {
  readonly kubeconfig: string
  readonly stateHome: string
}

function evenkeel(words: readonly string[], { kubeconfig, stateHome }: Surroundings): Promise<ProgramEnd> {
  const env = { KUBECONFIG: kubeconfig, XDG_STATE_HOME: stateHome }
  return new Program(ground().roll.enter([...ground().roll.program, ...words]), { env }).ended()
}

test('nothing is wrong with the file that each row spoils', real, async () => {
  const around = { kubeconfig: ground().kubeconfig, stateHome: ground().directory() }
  const { code, stdout, stderr } = await evenkeel(['roll', '-f', ground().file(), '--dry-run', '-o', 'json'], around)
  assert.equal(code, 0, stderr)
  const { findings } = JSON.parse(stdout) as { readonly findings: readonly { readonly severity: string }[] }
  assert.deepEqual(
    findings.filter(({ severity }) => severity === 'error'),
    [],
  )
})

// Two at a time: each is a process, and most of its time is the start of it.
describe('wrong input ends with exit code 2, says what to do and touches nothing', { ...real, concurrency: 2 }, () => {
  for (const row of ROWS) test(row.title, { timeout: 60_000 }, () => refused(row))
})

async function refused(row: InputRow): Promise<void> {
  const stateHome = ground().directory()
  const stateDir = join(stateHome, 'evenkeel')
  const journals = row.journals?.(ground()) ?? []
  for (const journal of journals) store(journal, stateDir)
  const before = fileLines(stateHome)
  const letGo = await holdInUse(journals, stateDir)
  const kubeconfig = (await row.kubeconfig?.(ground())) ?? ground().kubeconfig
  const end = await evenkeel(withJson(row.words(ground())), { kubeconfig, stateHome })
  letGo()
  assertRefused(row, end)
  assert.deepEqual(fileLines(stateHome), before)
  assert.deepEqual(await worldLines(ground()), world)
}

const LOCK = 'lock.db'

function store({ run, text }: StoredJournal, stateDir: string): void {
  mkdirSync(join(stateDir, run), { recursive: true })
  writeFileSync(join(stateDir, run, 'journal.jsonl'), text)
  writeFileSync(join(stateDir, run, LOCK), '')
}

/** Resolves with how to let go again. No file that is held may be read meanwhile: closing it would end the lock. */
async function holdInUse(journals: readonly StoredJournal[], stateDir: string): Promise<() => void> {
  const held = journals.filter(({ inUse }) => inUse === true)
  const locks = await Promise.all(held.map(({ run }) => tryLock(join(stateDir, run, LOCK))))
  return () => {
    for (const lock of locks) lock?.release()
  }
}

test('no refused command wrote anything to the API server', real, () => {
  const { reads, writes } = auditedRequests(readFileSync(ground().roll.bed.auditLog, 'utf8'))
  assert.deepEqual(writes, [])
  assert.ok(reads > 100, `the log has ${reads} reads`)
})
