import assert from 'node:assert/strict'
import {
  chmodSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { after, before, describe, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { makeRelease } from '../../deploy/release/make-release.ts'
import { buildFolder } from '../../testbed/build/cache-root.ts'
import { commandsBelow } from '../docs/pages.ts'
import { importImage } from '../support/image-on-bed.ts'
import { krew } from '../support/krew.ts'
import { root } from '../support/repository-files.ts'
import { type RealPart, requires } from '../support/requires.ts'
import type { Judgement } from '../support/roll-bed/judge.ts'
import { WHOAMI_FRONT } from '../support/roll-bed/lb-config.ts'
import { Program, type ProgramEnd } from '../support/roll-bed/program.ts'
import { RealGround } from '../support/roll-bed/real-ground.ts'
import { RollBed } from '../support/roll-bed/roll-bed.ts'
import {
  jobManifests,
  jobStatus,
  openToPods,
  sshFiles,
  untilJobEnded,
  whatIsOfJob,
} from '../support/roll-bed/roll-job.ts'
import { unlessVoid } from '../support/roll-bed/unless-void.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))

/** What a machine has of its own; the rest of the system is that of this machine. */
const OWN = ['root', 'run', 'usr/local', 'var/lib']

/** Where the programs of the bed are on it. */
const PROGRAMS = '/mnt'

const SET_UP = `
machine=$1 programs=$2 repository=$3 socket=$4 line=$5
mount --bind "$programs" ${PROGRAMS}
mount -t tmpfs tmpfs "$repository"
mount --bind "$socket" "$machine/run/haproxy/admin.sock"
for folder in ${OWN.join(' ')}; do mount --rbind "$machine/$folder" "/$folder"; done
cd /root
exec env -i HOME=/root LANG=C.UTF-8 \\
  PATH=/root/.krew/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin sh -ec "$line"
`

interface MachineParts {
  /** Is made; it holds all that the machine stores. */
  readonly folder: string
  /** Files that were downloaded to the home directory. */
  readonly downloads: string
  /** The folder of the bed's programs. */
  readonly programs: string
  /** The runtime socket of the bed's HAProxy. */
  readonly socket: string
  /** Puts a command into the network of the bed, from which nothing leads out. */
  readonly enter: (argv: readonly string[]) => readonly string[]
}

/**
 * A machine beside the bed on which nothing of Even Keel was ever installed: empty home directory, `/usr/local`, `/var/lib` and `/run`,
 * no network but that of the bed, and no repository. kubectl and Helm are there. It is a mount namespace, and what it stores is in one folder.
 */
class CleanMachine {
  readonly #parts: MachineParts
  readonly #started: Program[] = []

  constructor(parts: MachineParts) {
    this.#parts = parts
    const { folder, downloads } = parts
    for (const own of [...OWN, 'run/haproxy', 'root/.kube', 'usr/local/bin'])
      mkdirSync(join(folder, own), { recursive: true })
    writeFileSync(join(folder, 'run/haproxy/admin.sock'), '')
    this.program('kubectl', `#!/bin/sh\nexec ${PROGRAMS}/kube kubectl "$@"\n`)
    this.program('helm', `#!/bin/sh\nexec ${PROGRAMS}/helm "$@"\n`)
    for (const name of readdirSync(downloads)) linkSync(join(downloads, name), this.home(name))
  }

  /** A path below its home directory, as it is on this machine. */
  home(...path: readonly string[]): string {
    return join(this.#parts.folder, 'root', ...path)
  }

  /** Installs a program in `/usr/local/bin`. */
  program(name: string, content: string | Buffer): void {
    const path = join(this.#parts.folder, 'usr/local/bin', name)
    writeFileSync(path, content)
    chmodSync(path, 0o755)
  }

  /** Gives a line to a shell in the home directory. */
  run(line: string): Promise<ProgramEnd> {
    const { folder, programs, socket, enter } = this.#parts
    const namespaces = ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child=KILL', '--mount-proc']
    const words = [folder, programs, REPOSITORY, socket, line]
    const program = new Program(enter(['unshare', ...namespaces, 'sh', '-ec', SET_UP, 'sh', ...words]))
    this.#started.push(program)
    return program.ended()
  }

  /** The same for a line that must succeed. Gives what it printed. */
  async done(line: string): Promise<string> {
    const { code, stdout, stderr } = await this.run(line)
    if (code === 0) return stdout
    const said = `${stdout}\n${stderr}`.trim().split('\n').slice(-40).join('\n')
    throw new Error(`${line}\nended with ${code}:\n${said}`)
  }

  /** Ends what still runs on it. */
  end(): void {
    for (const program of this.#started) program.kill('SIGKILL')
  }
}

const real = { ...requires('testbed', 'helm', 'haproxy', 'ssh', 'strip', 'tar'), timeout: 900_000 }
const also = (part: RealPart) => ({ ...real, skip: real.skip || requires(part).skip })

const page = (path: string): string => readFileSync(join(root, path), 'utf8')
const [README, INSTALL, JOB] = ['README.md', 'docs/install.md', 'docs/roll-as-a-job.md'].map(page) as [
  string,
  string,
  string,
]
const IMAGE = 'evenkeel.local/evenkeel:0.1.0'
const FACTS = {
  version: '0.1.0',
  commit: '1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d',
  isChanged: false,
  committedAt: '2026-11-27T01:44:12+00:00',
}
/** The flags of a roll without a terminal. */
const UNATTENDED = '--yes -o jsonl --progress none'
const VERSION = /^0\.1\.0 \(commit (?:[0-9a-f]{12}(?:-changed)?|unknown)\)$/m
/** The row of the roll in the table of the demo: nothing failed. */
const DEMO = /^evenkeel +\d+:\d\d +[\d,]+ +0 /m

const folder = mkdtempSync(join(tmpdir(), 'evenkeel-ways-'))
const release = join(folder, 'release')
const machines: CleanMachine[] = []
let opened: RollBed | undefined
const place = (): RollBed => {
  assert.ok(opened)
  return opened
}

before(async () => {
  if (real.skip !== false) return
  const [baseUrl, builder] = ['https://example.com/v0.1.0', 'https://example.com/builder']
  const nodeLicense = 'the terms of Node'
  await makeRelease({ facts: FACTS, out: release, baseUrl, builder, arches: ['x64'], nodeLicense, gzipLevel: 1 })
  opened = await RollBed.open({ database: false })
  await openToPods(opened)
  for (const name of ['image', 'image-ssh'])
    await importImage(opened.bed, readFileSync(join(release, `evenkeel-0.1.0-${name}-x64.tar`)))
  // What the bed has of a roll's rights goes: they come from the release.
  await opened.bed.kubectl(['delete', '--wait', '-f', join(root, 'deploy/roll-rbac.yaml')])
})
after(async () => {
  for (const machine of machines) machine.end()
  await opened?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A machine with the files of the release, which were checked as the page says, with an administrator's kubeconfig and with ssh to the nodes. */
async function machineWith(way: string): Promise<CleanMachine> {
  const { bed, lb, enter } = place()
  const programs = join(buildFolder(), 'bin')
  const machine = new CleanMachine({
    folder: join(folder, way),
    downloads: release,
    programs,
    socket: lb.socket,
    enter,
  })
  machines.push(machine)
  copyFileSync(bed.insideKubeconfig, machine.home('.kube/config'))
  mkdirSync(machine.home('.ssh'), { mode: 0o700 })
  for (const [name, text] of Object.entries(sshFiles(bed, '~/.ssh')))
    writeFileSync(machine.home('.ssh', name), text, { mode: 0o600 })
  for (const line of commandsBelow(INSTALL, 'Check what you downloaded')) await machine.done(line)
  return machine
}

/** From now on kubectl and evenkeel have the rights of a roll, which were applied before. */
async function becomeRoller(machine: CleanMachine): Promise<void> {
  const { inside } = await place().bed.serviceAccountKubeconfig('evenkeel', 'evenkeel-roll')
  copyFileSync(inside, machine.home('.kube/config'))
}

/** Does what rolls all nodes, under a judge that measures from outside: no request failed, each node booted once, nothing is left. */
async function rolled(t: TestContext, roll: () => Promise<unknown>): Promise<void> {
  const ground = new RealGround(place)
  const judged = await unlessVoid(t, async () => {
    await place().settled()
    const boots = ground.countBoots()
    const judge = place().judge()
    const ends: { booted?: Readonly<Record<string, number>>; judged?: Judgement } = {}
    try {
      await roll()
    } finally {
      Object.assign(ends, { booted: await boots.stop(), judged: await judge.verdict() })
    }
    assert.deepEqual(ends.booted, Object.fromEntries(ground.nodes.map((node) => [node, 1])))
    assert.deepEqual(await leftoversOf(ground), [])
    assert.ok(ends.judged)
    return ends.judged
  })
  assert.deepEqual([judged.failedRequests, judged.windows], [0, []])
  t.diagnostic(`0 failed of ${judged.sentRequests} requests`)
}

/** Gives a line that rolls to a shell, and asserts on the end that it printed. */
async function assertRolls(machine: CleanMachine, line: string): Promise<void> {
  const printed = (await machine.done(line)).split('\n').filter((text) => text.startsWith('{'))
  const last = JSON.parse(printed.at(-1) ?? '{}')
  assert.deepEqual([last.type, last.outcome, last.exitCode, last.load?.failed], ['roll.ended', 'completed', 0, 0])
}

/** The commands of README for a cluster, in their order. The answers that init would ask for are given. */
async function rollAsReadmeSays(t: TestContext, machine: CleanMachine, program = 'evenkeel'): Promise<void> {
  const lines = commandsBelow(README, 'On your cluster').map((line) => line.replace(/^evenkeel/, program))
  const [init, rights, doctor, plan, roll, ...more] = lines
  assert.deepEqual(more, [])
  await machine.done(`${init} --yes --probe ${WHOAMI_FRONT} --reboot "ssh root"`)
  await machine.done(`${rights}`)
  await becomeRoller(machine)
  await machine.done(`${doctor}`)
  await machine.done(`${plan}`)
  await rolled(t, () => assertRolls(machine, `${roll} ${UNATTENDED}`))
}

/** Every line below a heading of the page of installations; the last one prints a version. */
async function installAsPageSays(machine: CleanMachine, heading: string): Promise<void> {
  const printed = await machine.done(commandsBelow(INSTALL, heading).join('\n'))
  assert.match(printed, VERSION)
}

test('README installs by commands of the page of installations', () => {
  const known = [...commandsBelow(INSTALL, 'An executable'), ...commandsBelow(INSTALL, 'An npm package')]
  const shown = commandsBelow(README, 'Install')
  assert.equal(shown.length, 2)
  assert.deepEqual(
    shown.filter((line) => !known.includes(line)),
    [],
  )
})

describe('by the pages alone, from the files of a release', { concurrency: 1, skip: real.skip }, () => {
  test('Helm and plain YAML bring up the agents, and Helm the controller', real, async () => {
    const { bed } = place()
    const machine = await machineWith('cluster')
    const [helm, ...plain] = commandsBelow(INSTALL, 'On the cluster: Helm, or plain YAML')
    const isUp = (object: string) =>
      bed.kubectl(['-n', 'evenkeel', 'rollout', 'status', object, '--timeout=120s'], { limitMs: 130_000 })

    await machine.done(plain.join('\n'))
    await isUp('daemonset/evenkeel-agent')
    await machine.done('kubectl delete -f evenkeel-0.1.0-yaml/agent.yaml\nkubectl delete namespace evenkeel')

    for (const node of bed.nodes)
      await bed.exec(node, ['ctr', '-n', 'k8s.io', 'images', 'tag', IMAGE, 'registry.example/evenkeel:0.1.0'])
    await machine.done(`${helm} --set controller.enabled=true`)
    await isUp('daemonset/evenkeel-agent')
    await isUp('deployment/evenkeel-agent-controller')
    await machine.done('helm uninstall evenkeel-agent -n evenkeel --wait')
  })

  test('the executable rolls the cluster', real, async (t) => {
    const machine = await machineWith('executable')
    await installAsPageSays(machine, 'An executable')
    await rollAsReadmeSays(t, machine)
  })

  test('the npm package rolls the cluster', real, async (t) => {
    const machine = await machineWith('npm')
    machine.program('node', readFileSync(process.execPath))
    await installAsPageSays(machine, 'An npm package')
    const [, npx = ''] = /`(npx [^`]+) demo`/.exec(INSTALL) ?? []
    assert.match(await machine.done(`${npx} --version`), VERSION)
    await rollAsReadmeSays(t, machine)
  })

  test('the kubectl plugin rolls the cluster, by krew, and runs its demo', also('krew'), async (t) => {
    const machine = await machineWith('krew')
    machine.program('kubectl-krew', readFileSync(await krew()))
    const [install, version, withoutKrew, ...more] = commandsBelow(INSTALL, 'A kubectl plugin')
    assert.deepEqual(more, [])
    await machine.done(`${install}`)
    assert.match(await machine.done(`${version}`), VERSION)
    assert.match(await machine.done('kubectl evenkeel demo'), DEMO)
    await rollAsReadmeSays(t, machine, 'kubectl evenkeel')

    const other = await machineWith('plugin')
    assert.match(await other.done(`${withoutKrew}\n${version}`), VERSION)
  })

  test('the image rolls the cluster, by podman, and runs its demo', also('podman'), async (t) => {
    const machine = await machineWith('podman')
    const [load, help, state, roll = '', ...more] = commandsBelow(INSTALL, 'A container image')
    assert.deepEqual(more, [])
    await machine.done('tar -xzf evenkeel-0.1.0-yaml.tar.gz\nkubectl apply -f evenkeel-0.1.0-yaml/roll-rbac.yaml')
    await becomeRoller(machine)
    const [, file = ''] = /\n## On your cluster\n[\s\S]*?```yaml\n([\s\S]*?)```/.exec(README) ?? []
    writeFileSync(machine.home('roll.yaml'), file)
    await machine.done(`${load}`)
    assert.match(await machine.done(`${help}`), /^Usage: evenkeel /)
    assert.match(await machine.done(`${help}`.replace('--help', 'demo')), DEMO)
    await machine.done(`${state}`)
    // No terminal is there.
    await rolled(t, () => assertRolls(machine, `${roll.replace(' -it ', ' ')} ${UNATTENDED}`))
  })

  test('a Job of the image rolls the cluster', real, async (t) => {
    const { bed } = place()
    const machine = await machineWith('job')
    const [unpack, goThere, rights, secret, apply, logs, ...more] = commandsBelow(JOB, 'Start it')
    assert.deepEqual(more, [])
    await machine.done(`${unpack}`)
    const example = machine.home('evenkeel-0.1.0-yaml/examples/roll-job.yaml')
    const manifests = jobManifests(readFileSync(example, 'utf8'), `${IMAGE}-ssh`)
    writeFileSync(example, manifests.map((manifest) => stringify(manifest)).join('---\n'))
    for (const [name, text] of Object.entries(sshFiles(bed, '/etc/evenkeel/ssh')))
      writeFileSync(machine.home('evenkeel-0.1.0-yaml', name), text)
    await machine.done([goThere, rights, secret].join('\n'))
    await rolled(t, async () => {
      await machine.done(`kubectl -n evenkeel delete job evenkeel-roll --ignore-not-found\n${goThere}\n${apply}`)
      await untilJobEnded(bed)
      const { succeeded, failed = 0 } = await jobStatus(bed)
      assert.deepEqual([succeeded, failed], [1, 0], await whatIsOfJob(bed))
    })
    await machine.done(`${logs}`)
  })
})
