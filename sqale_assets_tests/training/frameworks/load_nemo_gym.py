"""NeMo Gym validates the exported rows and its `bird_sql` resources server verifies the gold and a wrong answer."""

import asyncio
import json
import sys
from pathlib import Path
from unittest.mock import MagicMock

from nemo_gym.base_resources_server import BaseRunRequest
from nemo_gym.openai_utils import NeMoGymResponse
from nemo_gym.server_utils import ServerClient
from resources_servers.bird_sql.app import BirdSqlResourcesServer, BirdSqlResourcesServerConfig, BirdSqlVerifyRequest

folder = Path(sys.argv[1])
rows = [json.loads(line) for line in (folder / "train.jsonl").read_text().splitlines()]
for row in rows:
    BaseRunRequest.model_validate(row)
server = BirdSqlResourcesServer(
    config=BirdSqlResourcesServerConfig(host="", port=0, entrypoint="", name="", bird_sql_dir=str(folder)),
    server_client=MagicMock(spec=ServerClient),
)


def verified(row, sql):
    text = {"type": "output_text", "text": f"```sql\n{sql}\n```", "annotations": []}
    message = {"id": "m", "type": "message", "role": "assistant", "status": "completed", "content": [text]}
    response = NeMoGymResponse(
        id="r", created_at=0.0, model="m", object="response", output=[message], parallel_tool_calls=False,
        tool_choice="none", tools=[],
    )  # fmt: skip
    return asyncio.run(server.verify(BirdSqlVerifyRequest(**row, response=response))).reward


print(json.dumps({
    "rows": len(rows), "golds": [verified(row, row["gt_sql"]) for row in rows], "wrong": verified(rows[0], "SELECT -1"),
    "prompt": rows[0]["responses_create_params"]["input"][1]["content"],
}))  # fmt: skip
