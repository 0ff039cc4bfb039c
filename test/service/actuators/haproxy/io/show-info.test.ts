import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseInfo } from '../../../../../src/service/actuators/haproxy/io/parse-info.ts'

test('a process that names itself without a version, or the other way round, is not believed', () => {
  const words = { code: 'BALANCER_REPLY', message: /names no process id and version/ }
  assert.throws(() => parseInfo('Pid: 7\n'), words)
  assert.throws(() => parseInfo('Version: 2.6.12\n'), words)
  assert.deepEqual(parseInfo('Pid: 7\nVersion: 2.6.12\nStopping: 1\n'), {
    process: '7',
    version: '2.6.12',
    processes: 1,
    stopping: true,
  })
})

test('a process is told from those of other machines by its start and the name of its machine, where it shows both', () => {
  const read = (...lines: readonly string[]) => parseInfo(`Pid: 8\nVersion: 2.6.12\n${lines.join('\n')}\n`).onlyProcess
  assert.equal(read('node: lb-1', 'Start_time_sec: 1796059605'), '8@1796059605 lb-1')
  assert.equal(read('node: lb-1'), undefined, 'before 2.5: in containers process ids repeat')
  assert.equal(read('Start_time_sec: 1796059605'), undefined)
})
