import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { askWebhook } from '../../../support/webhook/ask-webhook.ts'
import { DAY_MS, WebhookGround, type WebhookProcess } from '../../../support/webhook/webhook-ground.ts'

const ground = (t: TestContext, daysAgo = 0): WebhookGround => {
  const made = new WebhookGround(daysAgo)
  t.after(() => made.end())
  return made
}

/** All of them show a certificate, and API servers trust it. */
const served = (at: WebhookGround, ...processes: readonly WebhookProcess[]): Promise<void> =>
  at.until('a certificate', () => {
    const isShown = processes.every(({ certificate }) => certificate.view().shown !== undefined)
    return isShown && at.bundle() !== '' && at.bundle() === at.value('ca.crt')
  })

const ask = (at: WebhookGround, { port }: WebhookProcess, lateMs = 0) =>
  askWebhook({ port, bundle: at.bundleOf(lateMs), body: '{}' })

test('the leader makes a certificate for the name by which the webhook is called, and every process shows it', async (t) => {
  const at = ground(t)
  at.configure()
  const [leader, other] = [await at.process(), await at.process(false)]
  await served(at, leader, other)
  const [first, second] = [await ask(at, leader), await ask(at, other)]
  assert.deepEqual([first.status, second.status, first.serial], [200, 200, second.serial])
  assert.deepEqual(leader.certificate.view().shown?.names, ['127.0.0.1'])
  assert.deepEqual(at.events(), [])
  await assert.rejects(askWebhook({ port: leader.port, bundle: '', body: '{}' }), /self-signed|unable to|local issuer/)
})

test('law: no certificate is shown before API servers were given its authority, unless the one before it is of no use; a renewal under requests fails none of them', async (t) => {
  const at = ground(t, 61)
  at.configure()
  const processes = [await at.process(), await at.process(false)]
  await served(at, ...processes)
  await at.api.time.advance(40_000)
  const before = at.value('tls.crt')
  const failures: string[] = []
  const serials = new Set<string>()
  let asked = 0
  let isOver = false
  // One API server has a change at once, another one half a minute later.
  const traffic = [0, 30_000].map(async (lateMs) => {
    while (!isOver) {
      for (const process of processes) {
        asked += 1
        await ask(at, process, lateMs).then(
          ({ serial }) => serials.add(serial),
          (error: Error) => failures.push(error.message),
        )
      }
    }
  })
  await at.until('requests', () => asked > 10, 60_000)
  at.api.time.jumpWall(61 * DAY_MS)
  await at.until('the next certificate to be made', () => at.value('next-tls.crt') !== '')
  const goal = asked + 10
  while (asked < goal) await turn()
  await at.until('it to be shown', () => at.value('tls.crt') !== before && at.value('next-tls.crt') === '')
  const last = asked + 20
  while (asked < last) await turn()
  isOver = true
  await Promise.all(traffic)
  t.diagnostic(`${asked} requests, ${failures.length} failed`)
  assert.deepEqual(failures, [])
  assert.equal(serials.size, 2)
  assert.deepEqual(at.events(), [])
})

test('a certificate that has expired is replaced at once, and an Event says so', async (t) => {
  const at = ground(t, 100)
  at.configure()
  const [leader, other] = [await at.process(), await at.process(false)]
  await served(at, leader, other)
  await assert.rejects(ask(at, other), /certificate has expired/)
  at.api.time.jumpWall(100 * DAY_MS)
  await at.until('another one', () => at.events().length > 0)
  await served(at, leader, other)
  assert.deepEqual(at.events(), [
    'WebhookCertificateReplaced: the certificate of the webhook has expired, and a new one is made',
  ])
  await at.until('it to be shown', () => (other.certificate.view().shown?.until ?? 0) > at.api.time.wallMs())
  assert.equal((await ask(at, other)).status, 200)
})

test('a Secret that is spoilt or of others is written anew; what was shown is shown until then', async (t) => {
  const at = ground(t)
  at.configure()
  const process = await at.process()
  await served(at, process)
  const good = { 'tls.crt': at.value('tls.crt'), 'tls.key': at.value('tls.key'), 'ca.crt': at.value('ca.crt') }
  process.lead(false)
  for (const spoilt of [
    { 'tls.crt': 'garbage' },
    { ...good, 'tls.key': 'garbage' },
    { ...good, 'ca.crt': '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' },
    { ...good, 'tls.key': good['tls.crt'] },
    {},
    { password: 'of another program' },
  ]) {
    at.setSecret(spoilt)
    await at.api.time.advance(1_000)
    assert.equal((await ask(at, process)).status, 200, 'what was shown goes on')
    process.lead(true)
    await at.until('another one', () => at.value('tls.crt').startsWith('-----BEGIN') && at.value('password') === '')
    await served(at, process)
    await at.until('it to be trusted', () => at.bundle() === at.value('ca.crt'))
    await at.api.time.advance(1_000)
    assert.equal((await ask(at, process)).status, 200)
    process.lead(false)
    Object.assign(good, {
      'tls.crt': at.value('tls.crt'),
      'tls.key': at.value('tls.key'),
      'ca.crt': at.value('ca.crt'),
    })
  }
})

test('a webhook that is called by another name gets a certificate for that', async (t) => {
  const at = ground(t)
  at.configure('https://[::1]:9443/review')
  const process = await at.process()
  await served(at, process)
  assert.deepEqual(process.certificate.view().shown?.names, ['::1'])
  await at.api.time.advance(120_000)
  assert.deepEqual(at.events(), [])
  at.configure('https://webhook.example:9443/review')
  await at.until('it', () => process.certificate.view().shown?.names.join() === 'webhook.example')
  await served(at, process)
})

test('two leaders at once end with one certificate, which is trusted', async (t) => {
  const at = ground(t)
  at.configure()
  const processes = [await at.process(), await at.process()]
  await served(at, ...processes)
  await at.api.time.advance(130_000)
  const replies = await Promise.all(processes.map((process) => ask(at, process)))
  assert.equal(new Set(replies.map(({ serial }) => serial)).size, 1)
  const before = at.value('tls.crt')
  await at.api.time.advance(120_000)
  assert.equal(at.value('tls.crt'), before)
})

test('without a configuration nothing is made, and it is said', async (t) => {
  const at = ground(t)
  const process = await at.process()
  await at.until('it to be said', () => process.certificate.view().trouble !== undefined)
  assert.equal(process.certificate.view().trouble, 'there is no ValidatingWebhookConfiguration evenkeel-ingress')
  assert.equal(at.value('tls.crt'), '')
  at.configure()
  await served(at, process)
})
