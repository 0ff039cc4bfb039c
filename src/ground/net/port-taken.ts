import { present } from '../model/present.ts'
import { UserError } from '../model/user-error.ts'
import { portHolder } from './port-holder.ts'

/** UserError PORT_TAKEN, with the process that has the port. */
export const portTaken = async (port: number, cause?: unknown): Promise<UserError> =>
  new UserError(`port ${port} is taken by ${await portHolder(port)}`, {
    code: 'PORT_TAKEN',
    fix: 'end that process or choose another port',
    ...present({ cause }),
  })
