import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { RollPlan } from '../../src/roll/model/roll-plan.ts'
import { requires } from '../support/requires.ts'
import { RollBed } from '../support/roll-bed/roll-bed.ts'

const real = { ...requires('testbed', 'haproxy'), timeout: 400_000 }
const SENTINEL = '/var/run/reboot-required'

let opened: RollBed | undefined
const bed = (): RollBed => {
  assert.ok(opened)
  return opened
}

before(async () => {
  if (real.skip === false) opened = await RollBed.open({ fast: true, database: false })
})
after(async () => opened?.close())

const fileWith = (onlyIfNeeded: object): string => {
  const ssh = { configFile: bed().bed.sshConfig, command: ['systemctl', 'reboot'] }
  return bed().file({ spec: { reboot: { ssh, resendAfter: '20s', returnLimit: '60s', onlyIfNeeded } } })
}

/** The plan of a dry run, or its exit code and errors where it fails. */
async function planned(onlyIfNeeded: object): Promise<RollPlan> {
  const { code, stdout, stderr } = await bed().evenkeel('roll', '-f', fileWith(onlyIfNeeded), '--dry-run', '-o', 'json')
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout) as RollPlan
}

const needsOf = ({ nodes, skipped }: RollPlan): readonly string[] => [
  ...nodes.map(({ node, needs }) => `${node}: ${needs}`),
  ...skipped.map(({ node, why }) => `${node}: ${why}`),
]

test(
  'of three machines the two with a sentinel are rolled, and by none of the ways does one need it again',
  real,
  async () => {
    const update = `: >${SENTINEL}; printf '%s\\n' linux-image-6.12.0-30-amd64 linux-base linux-base >${SENTINEL}.pkgs`
    for (const node of ['n1', 'n3']) await bed().bed.exec(node, ['sh', '-c', update])
    const there = `${SENTINEL} is there, for linux-image-6.12.0-30-amd64, linux-base`
    const command = { command: ['test', '-e', SENTINEL], neededExitCode: 0 }
    assert.deepEqual(needsOf(await planned({ sentinel: SENTINEL })), [
      `n1: ${there}`,
      `n3: ${there}`,
      `n2: needs no reboot: no ${SENTINEL}`,
    ])
    assert.deepEqual(needsOf(await planned(command)), [
      `n1: test -e ${SENTINEL} ended with exit code 0`,
      `n3: test -e ${SENTINEL} ended with exit code 0`,
      `n2: needs no reboot: test -e ${SENTINEL} ended with exit code 1`,
    ])
    const kernelVersion = (await bed().bed.exec('n1', ['uname', '-r'])).stdout.trim()
    assert.deepEqual((await planned({ kernelVersion })).nodes, [])
    assert.equal((await planned({ kernelVersion: `${kernelVersion}-new` })).nodes.length, 3)

    const missing = fileWith({ command: ['needs-restarting', '-r'], neededExitCode: 1 })
    const refused = await bed().evenkeel('roll', '-f', missing, '--yes')
    assert.equal(refused.code, 2)
    assert.match(refused.stderr, /needs-restarting could not be asked: there is no command needs-restarting/)

    const boots = await bed().bootIds()
    const { code, stderr } = await bed().roll('-f', bed().file(), '--only-if-needed', '--yes').ended()
    assert.equal(code, 0, stderr)
    const booted = await bed().bootIds()
    assert.deepEqual(
      bed().bed.nodes.filter((node) => boots[node] !== booted[node]),
      ['n1', 'n3'],
    )
    assert.deepEqual(await bed().leftovers(), [])
    const again = await bed().evenkeel('roll', '-f', bed().file(), '--only-if-needed', '--yes')
    assert.deepEqual([again.code, again.stdout], [0, 'DONE  no node needs a reboot; 3 skipped, nothing was changed\n'])
  },
)
