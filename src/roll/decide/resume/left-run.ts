import type { Node } from '../../../ground/model/node.ts'
import { evenkeel, kubectl, say } from '../../../ground/model/sentence.ts'
import { UserError } from '../../../ground/model/user-error.ts'
import { RECORD_ANNOTATION } from '../../../service/model/node-record.ts'
import { type NodeOut, nodesOut } from './nodes-out.ts'

/** A run that has nodes out, by its records on them. */
export interface LeftRun {
  readonly run: string
  readonly out: readonly NodeOut[]
}

/**
 * The run that has nodes of this cluster out; where it is named, that one. `file`: for the commands to type. Throws UserError
 * where no run has, or several have and none is named.
 */
export function leftRun(
  nodes: readonly Node[],
  { run, file }: { readonly run?: string; readonly file: string },
): LeftRun {
  const { recorded, unreadable } = nodesOut(nodes)
  const runs = Map.groupBy(recorded, ({ record }) => record.run)
  const found = run === undefined ? (runs.size === 1 ? [...runs.keys()][0] : undefined) : run
  const out = found === undefined ? undefined : runs.get(found)
  if (found !== undefined && out !== undefined) return { run: found, out }
  const several = [...runs].map(([name, these]) => `${name} (${these.map(({ node }) => node.name).join(', ')})`)
  if (several.length > 0) {
    const [first = ''] = runs.keys()
    const text = run === undefined ? 'several runs keep nodes out' : `run ${run} keeps no node out`
    const fix = say`name the run: ${evenkeel`roll abort ${first} -f ${file}`}`
    throw new UserError(`${text}: ${several.join('; ')}`, { code: 'abort.which-run', fix })
  }
  throw unreadable.length > 0 ? nobodysRecord(unreadable) : nothingOut()
}

function nobodysRecord(nodes: readonly Node[]): UserError {
  const names = nodes.map(({ name }) => name)
  const text = `${names.join(', ')} ${names.length === 1 ? 'carries a record' : 'carry records'} that cannot be read`
  const fix = say`put them back by hand (docs/put-a-node-back.md), then: ${kubectl`annotate node ${names} ${RECORD_ANNOTATION}-`}`
  return new UserError(text, { code: 'abort.record-unreadable', fix })
}

const nothingOut = (): UserError =>
  new UserError('no node of this cluster carries a record, so no run has a node out', {
    code: 'abort.nothing-out',
    fix: say`choose the cluster with --context; a node that is only cordoned was not cordoned by a roll: ${kubectl`uncordon NODE`}`,
  })
