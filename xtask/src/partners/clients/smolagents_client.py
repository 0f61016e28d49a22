"""Uses a model server with smolagents: smolagents_client.py ADDRESS."""

import json
import sys

from smolagents import OpenAIServerModel, ToolCallingAgent, tool


@tool
def get_weather(city: str) -> str:
    """Tells the weather.

    Args:
        city: The name of the city.
    """
    return f"21 degrees in {city}"


model = OpenAIServerModel(model_id="stand-in", api_base=f"{sys.argv[1]}/v1", api_key="sk-tests-0123456789")
agent = ToolCallingAgent(tools=[get_weather], model=model, max_steps=4, verbosity_level=0)
print(agent.run("What is the weather in Bern?"))
print(json.dumps([2]))
