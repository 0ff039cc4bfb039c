import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bypassesProxy } from '../../../src/ground/kube/bypasses-proxy.ts'

const TABLE: readonly (readonly [host: string, noProxy: string, bypassed: boolean])[] = [
  ['api.example.com', '', false],
  ['api.example.com', '*', true],
  ['api.example.com', 'api.example.com', true],
  ['api.example.com', 'other.com, API.Example.com ', true],
  ['api.example.com', 'example.com', true],
  ['api.example.com', '.example.com', true],
  ['api.example.com', '*.example.com', true],
  ['example.com', 'example.com', true],
  ['example.com', '.example.com', false],
  ['badexample.com', 'example.com', false],
  ['api.example.com', 'example.com:6443', true],
  ['api.example.com', 'example.com:443', false],
  ['10.1.2.3', '10.0.0.0/8', true],
  ['10.1.2.3', '192.168.0.0/16', false],
  ['10.1.2.3', '10.1.2.3', true],
  ['10.1.2.3', '10.1.2.3:6443', true],
  ['10.1.2.3', '10.1.2.3:443', false],
  ['10.1.2.3', '10.1.2', false],
  ['10.1.2.3', '10.0.0.0/99', false],
  ['10.1.2.3', 'example.com/8', false],
  ['fd00::7', 'fd00::/16', true],
  ['fd00::7', 'fd00:0:0::7', true],
  ['fd00::7', '[fd00::7]:6443', true],
  ['fd00::7', '[fd00::7]:443', false],
  ['fd00::7', '10.0.0.0/8', false],
  ['localhost', '', true],
  ['127.0.0.2', '', true],
  ['::1', '', true],
  ['api.example.com', ',,:,/,[,', false],
]

for (const [host, noProxy, bypassed] of TABLE) {
  test(`${host} ${bypassed ? 'is kept from the proxy' : 'goes by the proxy'} with NO_PROXY="${noProxy}"`, () => {
    assert.equal(bypassesProxy({ host, port: '6443' }, noProxy), bypassed)
  })
}
