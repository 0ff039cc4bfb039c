/**
 * DNS servers as CoreDNS with the kubernetes plugin answers, over UDP and TCP, each at an address of its own on loopback.
 * `node responder.ts SERVERS [DROP_ONE_IN] [SILENT]`, forked: sends their endpoints to its parent. With DROP_ONE_IN each drops
 * one in so many queries over UDP; the first SILENT servers drop all of them.
 */
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { type Socket as Connection, createServer } from 'node:net'
import process from 'node:process'
import type { Endpoint } from '../../src/ground/model/endpoint.ts'
import { likeCoreDns } from '../../test/support/dns/dns-world.ts'

const TRIES = 10
/** Names with chance in them are asked once, and are not worth keeping. */
const KEPT_MOST = 64
const ID_BYTES = 2
const LENGTH_BYTES = 2

const kept = new Map<string, Buffer>()

/** What repeats is encoded once: the servers are not what is measured. */
function answerTo(query: Buffer): Buffer {
  const key = query.toString('latin1', ID_BYTES)
  const known = kept.get(key)
  if (known !== undefined) {
    query.copy(known, 0, 0, ID_BYTES)
    return known
  }
  const bytes = likeCoreDns(query)[0]?.bytes ?? Buffer.alloc(0)
  if (kept.size < KEPT_MOST) kept.set(key, bytes)
  return bytes
}

let [asked, dropOneIn] = [0, Number.POSITIVE_INFINITY]

function answerDatagrams(socket: Socket): void {
  socket.on('message', (query, from) => {
    asked += 1
    // A copy: what is sent later must not be changed by the next query of that name.
    if (asked % dropOneIn !== 0) socket.send(Buffer.from(answerTo(query)), from.port, from.address)
  })
}

function answerStream(connection: Connection): void {
  let received = Buffer.alloc(0)
  connection.on('error', () => undefined)
  connection.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    if (received.length < LENGTH_BYTES || received.length < LENGTH_BYTES + received.readUInt16BE(0)) return
    const answer = answerTo(received.subarray(LENGTH_BYTES, LENGTH_BYTES + received.readUInt16BE(0)))
    received = Buffer.alloc(0)
    const length = Buffer.alloc(LENGTH_BYTES)
    length.writeUInt16BE(answer.length)
    connection.write(Buffer.concat([length, answer]))
  })
}

/** Rejects where the port is taken over TCP. */
async function open(address: string, isSilent: boolean): Promise<Endpoint> {
  const udp = createSocket({ type: 'udp4', recvBufferSize: 2 ** 20 })
  udp.bind(0, address)
  await once(udp, 'listening')
  const { port } = udp.address()
  try {
    const tcp = createServer(answerStream)
    tcp.listen(port, address)
    await once(tcp, 'listening')
  } catch (error) {
    udp.close()
    throw error
  }
  if (!isSilent) answerDatagrams(udp)
  return { address, port }
}

async function opened(address: string, isSilent: boolean): Promise<Endpoint> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await open(address, isSilent)
    } catch (error) {
      if (tries === TRIES) throw error
    }
  }
}

const [servers = 1, drops = 0, silent = 0] = process.argv.slice(2).map(Number)
if (drops > 0) dropOneIn = drops
const addresses = Array.from({ length: servers }, (_, at) => `127.83.${Math.floor(at / 250)}.${1 + (at % 250)}`)
process.send?.(await Promise.all(addresses.map((address, at) => opened(address, at < silent))))
process.on('disconnect', () => process.exit())
