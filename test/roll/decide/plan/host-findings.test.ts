import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HostReading } from '../../../../src/ground/model/host.ts'
import { hostFindings } from '../../../../src/roll/decide/plan/host-findings.ts'
import type { HostInquiry } from '../../../../src/roll/decide/plan/host-inquiry.ts'

const OURS = '00000000-0000-0000-0000-000000000000'

const asked = (n: number, facts: Partial<HostReading> = {}, bootId = `boot-${n}`): HostInquiry => ({
  node: { name: `n${n}`, bootId, internalAddresses: [`10.0.0.${n}`, `fd00::${n}`] },
  answer: { kind: 'answered', reading: { bootId: `boot-${n}`, mayReboot: true, hops: [], ...facts } },
})

const notAsked = (n: number, bootId: string): HostInquiry => ({
  ...asked(n, {}, bootId),
  answer: { kind: 'answered', reading: { mayReboot: true, hops: [] } },
})

const failed = (code: string, text: string): HostInquiry => ({
  node: { name: 'n1', bootId: 'boot-1', internalAddresses: ['10.0.0.1'] },
  answer: { kind: 'failed', code, text },
})

const around = (inquiries: readonly HostInquiry[], ownBootId: string | undefined = OURS) => ({
  ownBootId,
  all: [...inquiries.map(({ node }) => node), { name: 'n9', bootId: 'boot-9', internalAddresses: ['10.0.0.9'] }],
})

const short = (inquiries: readonly HostInquiry[]): readonly string[] =>
  hostFindings(inquiries, around(inquiries)).map(({ severity, code, node }) => `${severity} ${code} ${node}`)

test('machines that answer, may reboot and are who they should be have nothing against them', () => {
  assert.deepEqual(short([asked(1), asked(2)]), [])
  assert.deepEqual(hostFindings([asked(1)], { ownBootId: undefined, all: [] }), [])
})

test('the node of the pod of the roll may be rebooted, since the pod moves; another machine that is ours may not', () => {
  const inquiries = [asked(1, { bootId: OURS }, OURS)]
  assert.deepEqual(hostFindings(inquiries, { ...around(inquiries), leaves: 'n1' }), [])
  assert.deepEqual(
    hostFindings(inquiries, { ...around(inquiries), leaves: 'n2' }).map(({ code }) => code),
    ['HostIsOurs'],
  )
})

for (const [title, inquiries, expected] of [
  ['the machine we run on, as ssh tells it', [asked(1, { bootId: OURS }, OURS)], ['error HostIsOurs n1']],
  [
    'the machine we run on, as the API tells it',
    [notAsked(1, OURS)],
    ['error HostIsOurs n1', 'warning HostNotAsked n1'],
  ],
  ['a node of Windows that a command reboots', [notAsked(1, '7')], ['warning HostNotAsked n1']],
  ['a node without a boot id that a command reboots', [notAsked(1, '')], ['error HostMayNotReboot n1']],
  ['a node whose boot id no command is told', [notAsked(1, '$(x)')], ['error HostMayNotReboot n1']],
  ['a machine that is not the node', [asked(1, { bootId: 'boot-9' })], ['error HostIsAnother n1']],
  ['a machine that may not reboot', [asked(1, { mayReboot: false })], ['error HostMayNotReboot n1']],
  [
    'a jump over another node, by name',
    [asked(1), asked(2, { hops: [{ name: 'n1', addresses: [] }] })],
    ['error HostBehindNode n2'],
  ],
  [
    'a jump over another node, by address',
    [asked(1), asked(2, { hops: [{ name: 'bastion', addresses: ['192.0.2.1', 'fd00::1'] }] })],
    ['error HostBehindNode n2'],
  ],
  [
    'a jump over an address itself',
    [asked(1), asked(2, { hops: [{ name: '10.0.0.1', addresses: [] }] })],
    ['error HostBehindNode n2'],
  ],
  [
    'jumps over machines that are not rolled',
    [asked(1), asked(2, { hops: [{ name: 'bastion', addresses: ['192.0.2.1'] }] })],
    [],
  ],
  [
    'a jump over a node that is not rolled',
    [asked(1, { hops: [{ name: 'bastion', addresses: ['10.0.0.9'] }] })],
    ['warning HostBehindNode n1'],
  ],
  ['a jump over itself', [asked(1, { hops: [{ name: 'n1', addresses: ['10.0.0.1'] }] })], []],
  ['one that cannot be asked', [failed('HOST_TIMEOUT', 'late')], ['error HOST_TIMEOUT n1']],
] as const) {
  test(`${title}: ${expected.join(', ') || 'no finding'}`, () => assert.deepEqual(short(inquiries), expected))
}

test('each finding says what to change', () => {
  const first = (...inquiries: readonly HostInquiry[]) => hostFindings(inquiries, around(inquiries))[0]
  for (const code of ['HOST_KEY', 'HOST_DENIED', 'HOST_UNRESOLVED', 'HOST_NO_SSH', 'HOST_SSH_CONFIG', 'HOST_OTHER']) {
    const finding = first(failed(code, 'ssh n1: no'))
    assert.equal(finding?.text, 'ssh n1: no')
    assert.ok(finding?.fix !== undefined)
  }
  const unknown = first(failed('HOST_KEY', ''))
  assert.equal(unknown?.fix, 'log in with "ssh n1" once, compare the host key, and accept it')
  const jump = first(asked(1), asked(2, { hops: [{ name: 'b', addresses: ['10.0.0.1'] }] }))
  assert.equal(jump?.text, 'ssh reaches n2 through b, which is node n1, which is rolled as well')
})
