import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HostReading } from '../../../../src/ground/model/host.ts'
import type { PlanFinding } from '../../../../src/ground/model/plan-finding.ts'
import { plainText } from '../../../../src/ground/model/sentence.ts'
import { withBalancerAdvice } from '../../../../src/roll/decide/plan/balancer-advice.ts'
import { type HostsAround, hostFindings } from '../../../../src/roll/decide/plan/host-findings.ts'
import type { HostInquiry } from '../../../../src/roll/decide/plan/host-inquiry.ts'
import { slotFindings } from '../../../../src/roll/decide/plan/slot-findings.ts'
import { plain } from '../../../support/plain.ts'

const N1 = { name: 'n1', bootId: 'boot-1', internalAddresses: ['10.0.0.1'] }
const N2 = { name: 'n2', bootId: 'boot-2', internalAddresses: ['10.0.0.2'] }

const facts = (change: Partial<HostReading>, node = N1): HostInquiry => ({
  node,
  answer: { kind: 'answered', reading: { bootId: node.bootId, mayReboot: true, hops: [], ...change } },
})
const failed = (code: string): HostInquiry => ({ node: N1, answer: { kind: 'failed', code, text: 'ssh n1: no' } })
const of = (inquiries: readonly HostInquiry[], ownBootId?: string): readonly PlanFinding[] => {
  const around: HostsAround = { ownBootId, all: [N1, N2] }
  return hostFindings(inquiries, around)
}

test('the machine that the roll runs on is an error, by what it answers and by what the API says', () => {
  const ours = {
    severity: 'error',
    node: 'n1',
    code: 'HostIsOurs',
    text: 'this process runs on n1, and its reboot would end the roll half-way',
    fix: 'run the roll from a machine that is not rolled, leave the node out, or name the pod of a Job with --pod',
  }
  assert.deepEqual(of([facts({})], 'boot-1'), [ours])
  assert.deepEqual(of([facts({ bootId: 'boot-9' })], 'boot-9').slice(0, 1), [ours])
})

test('a machine that cannot be asked is an error with what to do about it', () => {
  const advice = {
    HOST_KEY: 'log in with "ssh n1" once, compare the host key, and accept it',
    HOST_DENIED: 'make "ssh -o BatchMode=yes n1 true" succeed: a key in the ssh agent, or reboot.ssh.user',
    HOST_UNRESOLVED: 'add "Host n1" with a HostName to your ssh configuration',
    HOST_NO_SSH: 'install an OpenSSH client',
    HOST_SSH_CONFIG: 'correct the ssh configuration, or set another one as reboot.ssh.configFile',
    HOST_TIMEOUT: 'make "ssh -o BatchMode=yes n1 true" succeed',
  }
  for (const [code, fix] of Object.entries(advice)) {
    assert.deepEqual(of([failed(code)]), [{ severity: 'error', node: 'n1', code, text: 'ssh n1: no', fix }])
  }
})

test('the login that is printed is the one of the roll file', () => {
  const ssh = { configFile: '/etc/even keel/ssh', user: 'ops' }
  const [denied] = hostFindings([failed('HOST_DENIED')], { ownBootId: undefined, all: [N1], ssh })
  const [key] = hostFindings([failed('HOST_KEY')], { ownBootId: undefined, all: [N1], ssh })
  assert.match(
    plainText(denied?.fix ?? ''),
    /^make "ssh -F '\/etc\/even keel\/ssh' -l ops -o BatchMode=yes n1 true" succeed:/,
  )
  assert.match(plainText(key?.fix ?? ''), /^log in with "ssh -F '\/etc\/even keel\/ssh' -l ops n1" once/)
})

test('a machine that does not tell its boot id is a warning', () => {
  const node = { ...N1, bootId: '1f0c7a52-3d0e-4b7a-9a61-5d0a0c4e1b2f' }
  const inquiry: HostInquiry = { node, answer: { kind: 'answered', reading: { mayReboot: true, hops: [] } } }
  assert.deepEqual(of([inquiry]), [
    {
      severity: 'warning',
      code: 'HostNotAsked',
      node: 'n1',
      text: 'the plan cannot read the boot id of n1, so only the reboot command can check it',
    },
  ])
})

test('a machine with another boot id than the node is an error that names both', () => {
  const another = (bootId: string) => of([facts({ bootId: 'boot-9' }, { ...N1, bootId })])
  const finding = { severity: 'error', node: 'n1', code: 'HostIsAnother' }
  const fix =
    'make ssh reach the node itself; right after a reboot, wait until the kubelet has reported the new boot id'
  const text = 'the machine that answers as n1 has boot id boot-9; the API shows'
  assert.deepEqual(another('boot-1'), [{ ...finding, text: `${text} boot-1`, fix }])
  assert.deepEqual(another(''), [{ ...finding, text: `${text} none`, fix }])
})

test('a machine that may not be rebooted says why where it gave a reason', () => {
  const finding = {
    severity: 'error',
    node: 'n1',
    code: 'HostMayNotReboot',
    fix: 'change the command of "reboot" in the file or reboot.ssh.user, or allow it in sudoers',
  }
  assert.deepEqual(of([facts({ mayReboot: false })]), [
    { ...finding, text: 'n1 cannot be rebooted this way: it gave no reason' },
  ])
  assert.deepEqual(of([facts({ mayReboot: false, refusal: 'a password is required' })]), [
    { ...finding, text: 'n1 cannot be rebooted this way: a password is required' },
  ])
})

test('a way over another node is an error where that node is rolled, and a warning where it is not', () => {
  const overN2 = facts({ hops: [{ name: 'n2', addresses: [] }] })
  assert.deepEqual(of([overN2]), [
    {
      severity: 'warning',
      code: 'HostBehindNode',
      node: 'n1',
      text: 'ssh reaches n1 through node n2, which must stay up',
    },
  ])
  assert.deepEqual(of([overN2, facts({}, N2)]), [
    {
      severity: 'error',
      code: 'HostBehindNode',
      node: 'n1',
      text: 'ssh reaches n1 through node n2, which is rolled as well',
      fix: 'reach n1 through a machine that is not rolled (ProxyJump in the ssh configuration)',
    },
  ])
})

test('an error of a balancer gets its advice, and a finding that has one or needs none keeps what it has', () => {
  const advised = (code: string) => withBalancerAdvice({ severity: 'error', code, text: 'x' })
  const advice = {
    BALANCER_UNREACHABLE: 'check its address under "balancers", and that HAProxy runs and serves its runtime API there',
    BALANCER_TIMEOUT: 'check its address under "balancers", and that HAProxy answers there: echo "show info" to it',
    BALANCER_REPLY: 'set its address under "balancers" to the runtime API of HAProxy 2.2 or later',
    BALANCER_NO_PROGRAM: 'correct the first argument under "commands", or let this user run the program (chmod +x)',
    BALANCER_PERMISSION: 'let this user open the socket, and give it "level admin"',
  }
  for (const [code, fix] of Object.entries(advice)) {
    assert.deepEqual(advised(code), { severity: 'error', code, text: 'x', fix })
  }
  assert.deepEqual(advised('HostIsOurs'), { severity: 'error', code: 'HostIsOurs', text: 'x' })
})

test('a Lease that would not be taken is an error that says whether the namespace is missing', () => {
  assert.deepEqual(slotFindings('ops', undefined), [])
  assert.deepEqual(plain(slotFindings('ops', { code: 'KUBE_NOT_FOUND', text: 'x' })), [
    {
      severity: 'error',
      code: 'SlotNamespaceMissing',
      text: 'there is no namespace ops, which "slots.namespace" names for the Lease of the slot',
      fix: 'kubectl create namespace ops, or set "slots.namespace" to one that exists',
    },
  ])
  assert.deepEqual(slotFindings('ops', { code: 'KUBE_FORBIDDEN', text: 'it is being terminated' }), [
    {
      severity: 'error',
      code: 'SlotRefused',
      text: 'the API server would not take Lease evenkeel-slot-0 in namespace ops: it is being terminated',
      fix: 'repair that, or set "slots.namespace" to another namespace',
    },
  ])
})
