import { join } from 'node:path'
import { run } from 'node:test'
import type { MutatedTree } from './mutated-tree.ts'
import type { Mutation } from './mutation.ts'

/** The first test of the file that fails on the mutated engine; undefined: the mutation survives. */
export async function tryInTest(tree: MutatedTree, mutation: Mutation, file: string): Promise<string | undefined> {
  let failed: string | undefined
  await tree.mutate(mutation)
  try {
    for await (const { type, data } of run({ files: [join(tree.root, file)] })) {
      if (type === 'test:fail') failed ??= data.name
    }
  } finally {
    await tree.restore()
  }
  return failed
}
