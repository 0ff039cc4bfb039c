import { evenkeel, type Sentence, say } from '../../ground/model/sentence.ts'
/** What to type where a run has left a node out. Its journal may be on another machine, or lost. */
export const waysBack = (run: string): Sentence =>
  say`${evenkeel`roll resume ${run}`}, or ${evenkeel`roll abort ${run}`} (if its journal is lost: ${evenkeel`roll abort ${run} -f roll.yaml`})`
