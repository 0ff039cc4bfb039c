import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConnectionsWanted, NONE_SEEN, withRow } from '../../../src/agent/io/count-connections.ts'
import { parseSocketRow } from '../../../src/agent/io/socket-row.ts'

const HEAD = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode'
const wanted = (change: Partial<ConnectionsWanted> = {}): ConnectionsWanted => ({
  port: 443,
  isOwn: () => false,
  ...change,
})

/** `LOCAL REMOTE STATE [INODE]` as the kernel prints them, between the columns that are not looked at. */
function rows(...short: readonly string[]): readonly string[] {
  const lines = short.map((text, i) => {
    const [local, remote, state, inode = '4711'] = text.split(' ')
    return `${i}: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000     0        0 ${inode} 1 0000 20 4 0 10 -1`
  })
  return [HEAD, ...lines, '']
}

const counted = (lines: readonly string[], want: ConnectionsWanted = wanted()) =>
  lines.reduce((seen, line) => {
    const row = parseSocketRow(line)
    return row === undefined ? seen : withRow(seen, row, want)
  }, NONE_SEEN)

const EVERYWHERE = '00000000:01BB 00000000:0000 0A'
const EVERYWHERE6 = '00000000000000000000000000000000:01BB 00000000000000000000000000000000:0000 0A'

test('a row tells both ends, of IPv4, of IPv6 and of IPv4 within IPv6', () => {
  const [, four = '', six = '', mapped = ''] = rows(
    '0500000A:01BB 09010A0A:D431 01',
    'B80D0120000000000000000005000000:01BB B80D0120000000000000000009000000:1F90 08',
    '0000000000000000FFFF00000500000A:01BB 0000000000000000FFFF000009010A0A:D431 01',
  )
  assert.deepEqual(parseSocketRow(four), {
    local: { address: '10.0.0.5', port: 443 },
    peer: { address: '10.10.1.9', port: 54_321 },
    state: '01',
    inode: '4711',
  })
  assert.deepEqual(parseSocketRow(six)?.local, { address: '2001:db8:0:0:0:0:0:5', port: 443 })
  assert.deepEqual(parseSocketRow(six)?.peer, { address: '2001:db8:0:0:0:0:0:9', port: 8_080 })
  assert.deepEqual(parseSocketRow(mapped)?.peer, { address: '10.10.1.9', port: 54_321 })
})

test('what is no row shows nothing', () => {
  for (const line of ['', HEAD, '0:', '0: 0500000A 09010A0A 01', '0: 0500000A:1BB 09010A0A:D431 01', 'x'.repeat(9_999)])
    assert.equal(parseSocketRow(line), undefined)
})

test('connections count while something may be under way on them, and not before and not after', () => {
  const states = [
    ['01', 1], // ESTABLISHED
    ['02', 0], // SYN_SENT
    ['03', 0], // SYN_RECV
    ['04', 1], // FIN_WAIT1
    ['05', 1], // FIN_WAIT2
    ['06', 0], // TIME_WAIT
    ['07', 0], // CLOSE
    ['08', 1], // CLOSE_WAIT
    ['09', 1], // LAST_ACK
    ['0B', 1], // CLOSING
  ] as const
  for (const [state, open] of states)
    assert.deepEqual(counted(rows(EVERYWHERE, `0500000A:01BB 09010A0A:D431 ${state}`)), { listens: true, open }, state)
  const left = counted(rows(EVERYWHERE, '0500000A:01BB 09010A0A:D431 05 0'))
  assert.deepEqual(left, { listens: true, open: 0 })
})

test('those of other ports do not count, and those that this node opened to the same port elsewhere', () => {
  const seen = counted(rows(EVERYWHERE, '0500000A:1BB0 09010A0A:D431 01', '0500000A:D431 09010A0A:01BB 01'))
  assert.deepEqual(seen, { listens: true, open: 0 })
})

test('the check of the data port by the agent itself does not count', () => {
  const isOwn = ({ address, port }: { readonly address: string; readonly port: number }): boolean =>
    address === '127.0.0.1' && port === 54_321
  const checked = '0000000000000000FFFF00000100007F:01BB 0000000000000000FFFF00000100007F'
  const seen = counted(rows(EVERYWHERE6, `${checked}:D431 08`, `${checked}:D432 01`), wanted({ isOwn }))
  assert.deepEqual(seen, { listens: true, open: 1 })
})

const LISTENERS: readonly (readonly [who: string, row: string, listens: boolean])[] = [
  ['everywhere', EVERYWHERE, true],
  ['everywhere by IPv6', EVERYWHERE6, true],
  ['at an address of the node', '0500000A:01BB 00000000:0000 0A', true],
  ['at another port', '00000000:01BC 00000000:0000 0A', false],
  ['at the machine itself alone', '0100007F:01BB 00000000:0000 0A', false],
  [
    'at the machine itself alone, by IPv6',
    '00000000000000000000000001000000:01BB 00000000000000000000000000000000:0000 0A',
    false,
  ],
  ['nowhere, though a client is connected', '0500000A:01BB 09010A0A:D431 01', false],
]
for (const [who, row, listens] of LISTENERS)
  test(`a table tells of the data port where a process listens: ${who}`, () => {
    assert.equal(counted(rows(row)).listens, listens)
  })

test('a loopback address counts where it is the very one that the agent was given', () => {
  const row = rows('0200007F:01BB 00000000:0000 0A')
  assert.equal(counted(row).listens, false)
  assert.equal(counted(row, wanted({ address: '127.0.0.2' })).listens, true)
})
