import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { stringify } from 'yaml'
import { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import { CLUSTER_TWISTS } from './cluster-twists.ts'
import { type Draft, type DraftFile, pick, plainDraft } from './draft.ts'
import { FILE_TWISTS } from './file-twists.ts'
import type { Ground } from './ground.ts'
import { PLUGIN, PLUGIN_TWISTS } from './plugin-twists.ts'
import { USER_TWISTS } from './user-twists.ts'

const POOLS = [CLUSTER_TWISTS, USER_TWISTS, PLUGIN_TWISTS, FILE_TWISTS, FILE_TWISTS]

/** The set of that seed: a plain one, changed one to three times. Nothing is written yet. */
export function drawSet(ground: Ground, seed: number, folder: string): Draft {
  const random = new SeededRandom(`kubeconfig ${seed}`)
  const draft = plainDraft(ground, random, folder)
  const count = 1 + random.below(3)
  for (let left = count; left > 0; left -= 1) {
    const { name, change } = pick(draft, pick(draft, POOLS))
    change(draft)
    draft.twists.push(name)
  }
  return draft
}

/** Writes all of it into its folder, beside plugins; gives what $KUBECONFIG is. */
export async function writeSet(draft: Draft): Promise<string> {
  const { folder, files, beside } = draft
  await rm(folder, { recursive: true, force: true })
  const put = async (path: string, content: string | Buffer, mode = 0o600): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content, { mode })
  }
  await mkdir(join(folder, 'more'), { recursive: true })
  for (const path of ['plug', 'sub/plug']) await put(path, PLUGIN, 0o700)
  for (const file of files) await put(file.path, bytesOf(file))
  for (const [path, text] of beside) {
    await put(path, text)
    for (const base of ['sub', 'more']) await put(`${base}/${path}`, text)
  }
  const paths = draft.kubeconfig ?? files.map(({ path }) => path)
  const up = draft.directory === '.' ? '' : '../'
  const ways = [
    (path: string) => `${up}${path}`,
    (path: string) => join(folder, path),
    (path: string) => `./${up}${path}`,
  ]
  return paths.map((path) => (path === '' ? '' : pick(draft, ways)(path))).join(':')
}

export function textOf({ document, texts }: DraftFile): string {
  const plain = stringify(document, { version: '1.1', aliasDuplicateObjects: false, lineWidth: 0 })
  const written = plain.replaceAll(/"@bare (.*?)@"/g, '$1')
  return texts.reduce((text, change) => change(text), written)
}

function bytesOf(file: DraftFile): Buffer {
  const text = textOf(file)
  switch (file.encoding) {
    case 'utf8':
      return Buffer.from(text)
    case 'utf8-bom':
      return Buffer.from(`\uFEFF${text}`)
    case 'utf16le':
      return Buffer.from(`\uFEFF${text}`, 'utf16le')
    case 'utf16be':
      return Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()
  }
}
