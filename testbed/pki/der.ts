/** The few forms of DER (X.690) that a certificate is written in. */

export function sequence(...parts: readonly Buffer[]): Buffer {
  return element(0x30, Buffer.concat(parts))
}

export function set(...parts: readonly Buffer[]): Buffer {
  return element(0x31, Buffer.concat(parts))
}

/** A context-specific tag around other elements. */
export function explicit(tag: number, content: Buffer): Buffer {
  return element(0xa0 + tag, content)
}

/** A context-specific tag in place of the type's own. */
export function implicit(tag: number, content: Buffer): Buffer {
  return element(0x80 + tag, content)
}

/** A number of at least zero, given as its bytes. */
export function integer(bytes: Buffer): Buffer {
  const first = bytes[0] ?? 0
  return element(0x02, first >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes)
}

export function boolean(value: boolean): Buffer {
  return element(0x01, Buffer.from([value ? 0xff : 0]))
}

export function octets(content: Buffer): Buffer {
  return element(0x04, content)
}

export function bits(content: Buffer, unusedBits = 0): Buffer {
  return element(0x03, Buffer.concat([Buffer.from([unusedBits]), content]))
}

export function text(value: string): Buffer {
  return element(0x0c, Buffer.from(value, 'utf8'))
}

/** UTCTime: whole seconds, two digits for the year, so 1950 to 2049. */
export function utcTime(date: Date): Buffer {
  return element(0x17, Buffer.from(`${date.toISOString().slice(2, 19).replaceAll(/[-:T]/g, '')}Z`))
}

/** An object identifier from its dotted form. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

function base128(value: number): number[] {
  const digits = [value & 0x7f]
  for (let left = value >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80)
  return digits
}

function element(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag, ...length(content.length)]), content])
}

function length(value: number): number[] {
  if (value < 0x80) return [value]
  const bytes: number[] = []
  for (let left = value; left > 0; left >>= 8) bytes.unshift(left & 0xff)
  return [0x80 | bytes.length, ...bytes]
}
