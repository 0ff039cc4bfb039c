import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RebootCondition } from '../../../../src/ground/model/reboot-condition.ts'
import { type NeedAnswer, REBOOT_SENTINEL, type RebootNeedSpec } from '../../../../src/ground/model/reboot-need.ts'
import { wallMs } from '../../../../src/ground/model/time.ts'
import type { HostInquiry } from '../../../../src/roll/decide/plan/host-inquiry.ts'
import { type RebootNeed, rebootNeed } from '../../../../src/roll/decide/plan/reboot-need.ts'
import { aNode } from '../../../support/roll-world.ts'

const FILE: RebootNeedSpec = { sentinel: REBOOT_SENTINEL, versions: {} }
const RHEL = { argv: ['needs-restarting', '-r'], neededExitCode: 1, otherExitCode: 0 }
const KURED = { argv: ['check'], neededExitCode: 0, otherExitCode: 1 }
const BY_RHEL: RebootNeedSpec = { command: RHEL, versions: {} }
const BY_KURED: RebootNeedSpec = { command: KURED, versions: {} }
const KERNEL: RebootNeedSpec = { versions: { kernelVersion: '6.2' } }

const said = (need: NeedAnswer, bootId = aNode('n1').bootId): HostInquiry['answer'] => ({
  kind: 'answered',
  reading: { bootId, mayReboot: true, hops: [], need },
})
const absent: NeedAnswer = { sentinel: { kind: 'absent' } }
const there = (packages: readonly string[] = [], isCut = false): NeedAnswer => ({
  sentinel: { kind: 'there', packages, isCut },
})
const ended = (exitCode: number, errors = ''): NeedAnswer => ({ command: { kind: 'ended', exitCode, errors } })
const unknown = (text: string): NeedAnswer => ({
  sentinel: { kind: 'unknown', text },
  command: { kind: 'unknown', text },
})
const UNREACHED: HostInquiry['answer'] = { kind: 'failed', code: 'HOST_UNREACHABLE', text: 'no route' }

const words = (need: RebootNeed): string =>
  need.kind === 'unknown'
    ? ['unknown', ...need.findings.map(({ text }) => text)].join(' | ')
    : `${need.kind} ${need.why}`

const MANY = ['a', 'b', 'c', 'd', 'e', 'f', 'g']

const ROWS: readonly (readonly [string, RebootNeedSpec, HostInquiry['answer'] | undefined, string])[] = [
  ['no sentinel', FILE, said(absent), 'none needs no reboot: no /var/run/reboot-required'],
  ['a sentinel', FILE, said(there()), 'needed /var/run/reboot-required is there'],
  [
    'a sentinel with packages',
    FILE,
    said(there(['linux-image-6.1.0-30-amd64', 'linux-base'])),
    'needed /var/run/reboot-required is there, for linux-image-6.1.0-30-amd64, linux-base',
  ],
  ['many packages', FILE, said(there(MANY)), 'needed /var/run/reboot-required is there, for a, b, c, d, e, 2 more'],
  ['a list that was cut', FILE, said(there(['a'], true)), 'needed /var/run/reboot-required is there, for a, more'],
  [
    'a hostile package',
    FILE,
    said(there([`\x1b[2J${'x'.repeat(100)}`])),
    `needed /var/run/reboot-required is there, for \\x1b[2J${'x'.repeat(56)}...`,
  ],
  [
    'a file that cannot be seen',
    FILE,
    said(unknown('this account is not allowed to look into /var')),
    'unknown | it is not known whether n1 needs a reboot: the machine cannot say whether it has /var/run/reboot-required: this account is not allowed to look into /var',
  ],
  [
    'no answer to the question',
    FILE,
    said({}),
    'unknown | it is not known whether n1 needs a reboot: the machine cannot say whether it has /var/run/reboot-required: no answer',
  ],
  ["RHEL's 1", BY_RHEL, said(ended(1)), 'needed needs-restarting ended with exit code 1'],
  ["RHEL's 0", BY_RHEL, said(ended(0)), 'none needs no reboot: needs-restarting ended with exit code 0'],
  ["kured's 0", BY_KURED, said(ended(0)), 'needed check ended with exit code 0'],
  ["kured's 1", BY_KURED, said(ended(1)), 'none needs no reboot: check ended with exit code 1'],
  [
    'a third exit code',
    BY_RHEL,
    said(ended(127, 'not found')),
    'unknown | it is not known whether n1 needs a reboot: needs-restarting ended with exit code 127, and only 1 (needed) and 0 (not needed) are answers: not found',
  ],
  [
    'a command that is not there',
    BY_RHEL,
    said(unknown('there is no command needs-restarting')),
    'unknown | it is not known whether n1 needs a reboot: needs-restarting could not be asked: there is no command needs-restarting',
  ],
  ['a machine that cannot be reached, of which another finding tells', FILE, UNREACHED, 'unknown'],
  ['that machine, whose version is right', { ...FILE, versions: { kernelVersion: '6.1' } }, UNREACHED, 'unknown'],
  [
    'that machine, whose version is wrong',
    { ...FILE, versions: { kernelVersion: '6.2' } },
    UNREACHED,
    'needed kernelVersion is 6.1, and 6.2 is wanted',
  ],
  ['no sentinel on another machine, of which another finding tells', FILE, said(absent, 'another'), 'unknown'],
  ['another kernel', KERNEL, undefined, 'needed kernelVersion is 6.1, and 6.2 is wanted'],
  ['the same kernel', { versions: { kernelVersion: '6.1' } }, undefined, 'none needs no reboot: kernelVersion is 6.1'],
  ['another OS image', { versions: { osImage: 'B' } }, undefined, 'needed osImage is A, and B is wanted'],
  [
    'a version that the Node does not show',
    { versions: { kubeletVersion: 'v1.35.4', kernelVersion: '6.1' } },
    undefined,
    'unknown | it is not known whether n1 needs a reboot: the Node shows no kubeletVersion',
  ],
  [
    'one way that says so beside one that does not know',
    { sentinel: REBOOT_SENTINEL, command: RHEL, versions: {} },
    said({ ...ended(1), sentinel: { kind: 'unknown', text: 'x' } }),
    'needed needs-restarting ended with exit code 1',
  ],
  [
    'one way that says no beside one that does not know',
    { sentinel: REBOOT_SENTINEL, command: RHEL, versions: {} },
    said({ ...ended(0), sentinel: { kind: 'unknown', text: 'x' } }),
    'unknown | it is not known whether n1 needs a reboot: the machine cannot say whether it has /var/run/reboot-required: x',
  ],
  [
    'all ways that say no',
    { sentinel: REBOOT_SENTINEL, command: RHEL, versions: { osImage: 'A' } },
    said({ ...absent, ...ended(0) }),
    'none needs no reboot: no /var/run/reboot-required; needs-restarting ended with exit code 0; osImage is A',
  ],
]

for (const [title, spec, answer, expected] of ROWS) {
  test(`whether a node needs a reboot, by ${title}`, () => {
    const node = aNode('n1', { versions: { kernelVersion: '6.1', osImage: 'A' } })
    assert.equal(words(rebootNeed(node, spec, { answer })), expected)
  })
}

const CONDITION: RebootNeedSpec = { condition: true, versions: {} }
const NOW = wallMs(Date.parse('2026-01-01T12:00:00Z'))

/** As evenkeel-rebooter writes it. */
const condition = (change: Partial<RebootCondition> = {}): RebootCondition => ({
  status: 'False',
  reason: 'NothingPending',
  message: `no /run/reboot-required (boot ${aNode('n1').bootId})`,
  heartbeat: '2026-01-01T11:30:00Z',
  ...change,
})

const CONDITIONS: readonly (readonly [string, RebootCondition | undefined, string])[] = [
  [
    'a condition that is False',
    condition(),
    'none needs no reboot: RebootRequired is False: NothingPending: no /run/reboot-required',
  ],
  [
    'a condition that is True',
    condition({ status: 'True', reason: 'NewerKernel', message: `kernel 2 (boot ${aNode('n1').bootId})` }),
    'needed RebootRequired is True: NewerKernel: kernel 2',
  ],
  [
    'a condition that is Unknown',
    condition({ status: 'Unknown', reason: 'CannotTell' }),
    'unknown | it is not known whether n1 needs a reboot: its condition RebootRequired is Unknown: CannotTell: no /run/reboot-required',
  ],
  [
    'no condition',
    undefined,
    'unknown | it is not known whether n1 needs a reboot: the Node has no condition RebootRequired',
  ],
  [
    'a condition of an earlier boot',
    condition({ message: 'x (boot 00000000-0000-4000-8000-000000000009)' }),
    'unknown | it is not known whether n1 needs a reboot: its condition RebootRequired is not about its present boot',
  ],
  [
    'a condition that names no boot',
    condition({ message: 'no' }),
    'unknown | it is not known whether n1 needs a reboot: its condition RebootRequired is not about its present boot',
  ],
  [
    'a condition that is old',
    condition({ heartbeat: '2026-01-01T08:59:59Z' }),
    'unknown | it is not known whether n1 needs a reboot: its condition RebootRequired was written 2026-01-01T08:59:59Z, and it should be written each hour',
  ],
  [
    'a condition of a machine whose clock is an hour behind',
    condition({ heartbeat: '2026-01-01T10:00:00Z' }),
    'none needs no reboot: RebootRequired is False: NothingPending: no /run/reboot-required',
  ],
  [
    'a condition of the future',
    condition({ heartbeat: '2026-01-02T00:00:00Z' }),
    'unknown | it is not known whether n1 needs a reboot: its condition RebootRequired was written in the future, 2026-01-02T00:00:00Z: a clock is wrong',
  ],
  [
    'a condition without a time',
    condition({ heartbeat: '' }),
    'unknown | it is not known whether n1 needs a reboot: its condition RebootRequired does not show when it was written',
  ],
]

for (const [title, rebootRequired, expected] of CONDITIONS) {
  test(`whether a node needs a reboot, by ${title}`, () => {
    const node = aNode('n1', rebootRequired === undefined ? {} : { rebootRequired })
    assert.equal(words(rebootNeed(node, CONDITION, { wall: NOW })), expected)
  })
}

test('a node without the condition fails the plan, and the finding says how to get it', () => {
  const need = rebootNeed(aNode('n1'), CONDITION, { wall: NOW })
  assert.deepEqual(need.kind === 'unknown' && need.findings.map(({ severity, fix }) => [severity, fix]), [
    [
      'error',
      'start evenkeel-rebooter on the node (docs/reboot-required.md), or roll all chosen nodes: --no-only-if-needed',
    ],
  ])
})
